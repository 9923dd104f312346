/* Lets one worker, and no other, run a task. Usage: program op|recover|check DIR [WORKER] */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *in(const char *directory, const char *name, const char *worker) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", directory, name, worker);
    return path;
}

static int touch(const char *path, int flags) {
    int file = open(path, O_WRONLY | O_CREAT | flags, 0644);
    return file < 0 ? -1 : close(file);
}

static int op(const char *directory, const char *worker) {
    if (access(in(directory, "claim", ""), F_OK) == 0) return 0;
    if (touch(in(directory, "claim", ""), 0) != 0) return 1;
    return touch(in(directory, "ran.", worker), 0) != 0;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    if (strcmp(words[1], "op") == 0) return op(words[2], count > 3 ? words[3] : "a");
    int a = access(in(words[2], "ran.", "a"), F_OK) == 0, b = access(in(words[2], "ran.", "b"), F_OK) == 0;
    if (strcmp(words[1], "recover") == 0 && !a && !b) unlink(in(words[2], "claim", ""));
    if (strcmp(words[1], "check") == 0 && a && b) return puts("Both workers ran the task."), 1;
    return 0;
}
