/* Keeps a log of one record a line. Usage: program op|recover|check DIR */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path[4096];

static int torn(int log) {
    char last = 0;
    off_t size = lseek(log, 0, SEEK_END);
    if (size <= 0) return size < 0 ? -1 : 0;
    if (pread(log, &last, 1, size - 1) != 1) return -1;
    return last != '\n';
}

static int append(const char *record) {
    char line[64];
    int log = open(path, O_RDWR | O_APPEND | O_CREAT, 0644), bad = 0;
    if (log < 0) return 1;
    int begun = torn(log);
    if (begun < 0) return 1;
    size_t length = (size_t)snprintf(line, sizeof line, "%s%s\n", begun ? "\n" : "", record);
    for (size_t done = 0; done < length && !bad;) {
        ssize_t written = write(log, line + done, length - done);
        bad = written < 0;
        if (!bad) done += (size_t)written;
    }
    if (!bad) bad = fsync(log) != 0;
    return close(log) != 0 || bad;
}

static int lost(const char *line, const char *record) {
    size_t length = strlen(line), size = strlen(record);
    return length > size && strcmp(line + length - size, record) == 0;
}

static int check(void) {
    char text[1024];
    int log = open(path, O_RDONLY);
    ssize_t length = log < 0 ? -1 : read(log, text, sizeof text - 1);
    if (length < 6 || strncmp(text, "first\n", 6) != 0) return puts("The first record is lost."), 1;
    for (ssize_t n = 0; n < length; n++)
        if (text[n] == 0) text[n] = ' ';
    text[length] = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (lost(line, "second") || lost(line, "recovered")) return puts("A record is lost in a torn line."), 1;
    return 0;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    snprintf(path, sizeof path, "%s/log", words[2]);
    if (strcmp(words[1], "op") == 0) return append("second");
    if (strcmp(words[1], "check") == 0) return check();
    return append("recovered");
}
