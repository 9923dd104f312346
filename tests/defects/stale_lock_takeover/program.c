/* Makes a worker the leader when the lease has run out. Usage: program op|recover|check DIR [WORKER] */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char LASTING[] = "9999999999\n"; /* until it is given up */

static const char *in(const char *directory, const char *name, const char *worker) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", directory, name, worker);
    return path;
}

static int create(const char *path, int flags, const char *text) {
    int file = open(path, O_WRONLY | O_CREAT | flags, 0644);
    if (file < 0) return -1;
    int bad = *text && write(file, text, strlen(text)) != (ssize_t)strlen(text);
    return close(file) != 0 || bad ? -1 : 0;
}

static int op(const char *directory, const char *worker) {
    char text[32] = "";
    int file = open(in(directory, "lease", ""), O_RDONLY);
    if (file >= 0) {
        ssize_t length = read(file, text, sizeof text - 1);
        close(file);
        if (length < 0) return 1;
        if (atoll(text) > (long long)time(NULL)) return 0;
        if (unlink(in(directory, "lease", "")) != 0) return 1;
    } else if (errno != ENOENT) {
        return 1;
    }
    errno = 0;
    if (create(in(directory, "lease", ""), O_EXCL, LASTING) != 0) return errno != EEXIST;
    return create(in(directory, "leads.", worker), 0, "") != 0;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    if (strcmp(words[1], "op") == 0) return op(words[2], count > 3 ? words[3] : "a");
    int a = access(in(words[2], "leads.", "a"), F_OK) == 0, b = access(in(words[2], "leads.", "b"), F_OK) == 0;
    if (strcmp(words[1], "recover") == 0 && !a && !b) unlink(in(words[2], "lease", ""));
    if (strcmp(words[1], "check") == 0 && a && b) return puts("Both workers lead."), 1;
    return 0;
}
