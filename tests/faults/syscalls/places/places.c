/* Writes two files. Usage: places self|child|grandchild|thread DIR */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *directory;

static void *work(void *unused) {
    const char *names[] = {"first", "second"};
    (void)unused;
    for (int n = 0; n < 2; n++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", directory, names[n]);
        int fd = open(path, O_CREAT | O_WRONLY, 0644);
        if (fd < 0 || write(fd, "hello world", 11) < 0 || close(fd) < 0) _exit(3);
    }
    return NULL;
}

static void in_child(int depth) {
    if (depth == 0) {
        work(NULL);
        return;
    }
    pid_t pid = fork();
    if (pid == 0) {
        in_child(depth - 1);
        _exit(0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    if (status) _exit(3);
}

int main(int count, char **words) {
    if (count != 3) return 2;
    directory = words[2];
    if (strcmp(words[1], "thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
        return 0;
    }
    in_child(strcmp(words[1], "self") == 0 ? 0 : strcmp(words[1], "child") == 0 ? 1 : 2);
    return 0;
}
