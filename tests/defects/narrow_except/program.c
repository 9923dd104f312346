/* Moves a message on, or aside when that fails: none may be lost. Usage: program op|recover|check DIR */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char MESSAGE[] = "pay 7\n";
static char inbox[4096], outbox[4096], spool[4096];

static ssize_t load(const char *path, char *text, size_t size) {
    int file = open(path, O_RDONLY);
    if (file < 0) return -1;
    ssize_t length = read(file, text, size - 1);
    close(file);
    text[length < 0 ? 0 : length] = 0;
    return length;
}

static int sync_and_close(int file) {
    if (file < 0) return -1;
    int bad = fsync(file);
    return close(file) != 0 || bad ? -1 : 0;
}

static int store(const char *directory, const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file < 0) return -1;
    for (size_t length = strlen(text); length > 0;) {
        ssize_t written = write(file, text, length);
        if (written < 0) return -1;
        text += written, length -= (size_t)written;
    }
    if (sync_and_close(file) != 0) return -1;
    return sync_and_close(open(directory, O_RDONLY | O_DIRECTORY));
}

static int op(const char *directory) {
    char message[256];
    if (load(inbox, message, sizeof message) <= 0) return 1;
    if (store(directory, outbox, message) != 0 && errno == EACCES) store(directory, spool, message);
    return unlink(inbox) != 0;
}

static int whole(const char *path) {
    char text[256];
    return load(path, text, sizeof text) >= 0 && strcmp(text, MESSAGE) == 0;
}

int main(int count, char **words) {
    if (count < 3) return 2;
    snprintf(inbox, sizeof inbox, "%s/inbox", words[2]);
    snprintf(outbox, sizeof outbox, "%s/outbox", words[2]);
    snprintf(spool, sizeof spool, "%s/spool", words[2]);
    if (strcmp(words[1], "op") == 0) return op(words[2]);
    if (strcmp(words[1], "recover") == 0) {
        if (!whole(outbox)) unlink(outbox);
        if (!whole(spool)) unlink(spool);
        return 0;
    }
    if (!whole(inbox) && !whole(outbox) && !whole(spool)) return puts("The message is lost."), 1;
    return 0;
}
