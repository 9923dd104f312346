"""Writes two files. Usage: places.py self|child|grandchild|thread DIR"""

import os
import sys
import threading

where, directory = sys.argv[1:]


def work():
    for name in ("first", "second"):
        try:
            fd = os.open(f"{directory}/{name}", os.O_CREAT | os.O_WRONLY, 0o644)
            os.write(fd, b"hello world")
            os.close(fd)
        except OSError:
            os._exit(3)


def in_child(job):
    pid = os.fork()
    if pid == 0:
        job()
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        os._exit(3)


if where == "thread":
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
else:
    {"self": work, "child": lambda: in_child(work), "grandchild": lambda: in_child(lambda: in_child(work))}[where]()
