/* The settings of an agent, one "name=value" a line.
 *
 *   settings set DIR NAME VALUE    changes or adds one
 *   settings check DIR NAME ...    fails when one of these has no value
 */
#include <stdio.h>
#include <string.h>

static char path[4096], fresh[4096];

static int set(const char *name, const char *value) {
    char line[512];
    size_t length = strlen(name);
    FILE *in = fopen(path, "r");
    if (!in) return perror(path), 1;
    FILE *out = fopen(fresh, "w");
    if (!out) return perror(fresh), 1;
    while (fgets(line, sizeof line, in))
        if (strncmp(line, name, length) != 0 || line[length] != '=') fputs(line, out);
    fprintf(out, "%s=%s\n", name, value);
    fclose(in);
    fclose(out);
    if (rename(fresh, path) != 0) return perror(path), 1;
    return 0;
}

static int check(char **names) {
    for (; *names; names++) {
        char line[512];
        int found = 0;
        FILE *in = fopen(path, "r");
        while (in && fgets(line, sizeof line, in)) {
            size_t length = strlen(*names);
            found |= strncmp(line, *names, length) == 0 && line[length] == '=' && strlen(line) > length + 2;
        }
        if (in) fclose(in);
        if (!found) return printf("The setting %s is lost.\n", *names), 1;
    }
    return 0;
}

int main(int count, char **words) {
    if (count < 3) return fputs("usage: settings set|check DIR ...\n", stderr), 2;
    snprintf(path, sizeof path, "%s/settings", words[2]);
    snprintf(fresh, sizeof fresh, "%s/settings.new", words[2]);
    if (strcmp(words[1], "set") == 0 && count == 5) return set(words[3], words[4]);
    return check(words + 3);
}
