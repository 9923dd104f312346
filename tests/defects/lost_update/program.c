/* Enters a worker's pending line in a shared ledger. Usage: program op|recover|check DIR [WORKER] */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *directory;

static const char *in(const char *name, const char *worker) {
    static char paths[4][4096];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s%s", directory, name, worker);
    return path;
}

static ssize_t load(const char *path, char *text, size_t size) {
    int file = open(path, O_RDONLY);
    if (file < 0) return -1;
    ssize_t length = read(file, text, size - 1);
    close(file);
    text[length < 0 ? 0 : length] = 0;
    return length;
}

static int save(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644), bad = 0;
    if (file < 0) return -1;
    for (size_t length = strlen(text); length > 0 && !bad;) {
        ssize_t written = write(file, text, length);
        bad = written < 0;
        if (!bad) text += written, length -= (size_t)written;
    }
    if (!bad) bad = fsync(file) != 0;
    return close(file) != 0 || bad ? -1 : 0;
}

static int sync_directory(void) {
    int file = open(directory, O_RDONLY | O_DIRECTORY);
    if (file < 0) return -1;
    int bad = fsync(file);
    close(file);
    return bad;
}

static int enter(const char *worker, const char *line) {
    char text[512];
    ssize_t length = load(in("ledger", ""), text, 256);
    if (length < 0) return 1;
    strcat(text, line);
    if (save(in("ledger.", worker), text) != 0) return 1;
    return rename(in("ledger.", worker), in("ledger", "")) != 0 || sync_directory() != 0;
}

static int op(const char *worker) {
    char line[256];
    if (load(in("pending.", worker), line, sizeof line) <= 0) return 1;
    if (enter(worker, line) != 0) return 1;
    return unlink(in("pending.", worker)) != 0;
}

static int check(void) {
    char text[512] = "\n";
    load(in("ledger", ""), text + 1, sizeof text - 1);
    int a = strstr(text, "\na\n") != NULL, b = strstr(text, "\nb\n") != NULL;
    if (strncmp(text, "\nstart\n", 7) != 0 || strlen(text) != 7 + 2 * (size_t)(a + b))
        return puts("The ledger is damaged."), 1;
    if ((!a && access(in("pending.", "a"), F_OK) != 0) || (!b && access(in("pending.", "b"), F_OK) != 0))
        return puts("The line of a worker is neither pending nor in the ledger."), 1;
    return 0;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    directory = words[2];
    if (strcmp(words[1], "op") == 0) return op(count > 3 ? words[3] : "a");
    if (strcmp(words[1], "check") == 0) return check();
    unlink(in("ledger.", "a"));
    unlink(in("ledger.", "b"));
    return 0;
}
