/* Puts a pending configuration in force. Usage: program op|recover|check DIR */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char OLD[] = "limit 10\n", NEW[] = "limit 20\n";
static char config[4096], pending[4096], temporary[4096];

static ssize_t load(const char *path, char *text, size_t size) {
    int file = open(path, O_RDONLY);
    if (file < 0) return -1;
    ssize_t length = read(file, text, size - 1);
    close(file);
    text[length < 0 ? 0 : length] = 0;
    return length;
}

static int save(const char *path, const char *text, size_t length) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644), bad = 0;
    if (file < 0) return -1;
    while (length > 0 && !bad) {
        ssize_t written = write(file, text, length);
        bad = written < 0;
        if (!bad) text += written, length -= (size_t)written;
    }
    return close(file) != 0 || bad ? -1 : 0;
}

static int sync_directory(const char *path) {
    int directory = open(path, O_RDONLY | O_DIRECTORY);
    if (directory < 0) return -1;
    int bad = fsync(directory);
    close(directory);
    return bad;
}

static int op(const char *directory) {
    char wanted[256];
    ssize_t length = load(pending, wanted, sizeof wanted);
    if (length <= 0) return 1;
    if (save(temporary, wanted, (size_t)length) != 0 || rename(temporary, config) != 0) {
        unlink(temporary);
        return 1;
    }
    if (sync_directory(directory) != 0) return 1;
    return unlink(pending) != 0;
}

static int check(void) {
    char text[256];
    if (load(config, text, sizeof text) < 0) *text = 0;
    if (strcmp(text, OLD) != 0 && strcmp(text, NEW) != 0)
        return puts("The configuration is neither the old one nor the new one."), 1;
    if (strcmp(text, OLD) == 0 && access(pending, F_OK) != 0)
        return puts("The pending configuration is gone, and not in force."), 1;
    return 0;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    snprintf(config, sizeof config, "%s/config", words[2]);
    snprintf(pending, sizeof pending, "%s/pending", words[2]);
    snprintf(temporary, sizeof temporary, "%s/config.tmp", words[2]);
    if (strcmp(words[1], "op") == 0) return op(words[2]);
    if (strcmp(words[1], "check") == 0) return check();
    unlink(temporary);
    return 0;
}
