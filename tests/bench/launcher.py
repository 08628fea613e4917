"""Runs one command and reports its time and memory: ``python -m tests.bench.launcher FD COMMAND...``.

A process of its own, since a child's peak memory counts from that of whoever starts it, and this one is small.
"""

import os
import sys
import time


def main() -> int:
    descriptor, *command = sys.argv[1:]
    os.set_inheritable(int(descriptor), False)
    start = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - start
    unit = 1 if sys.platform == "darwin" else 1024
    os.write(int(descriptor), f"{wall} {usage.ru_utime} {usage.ru_stime} {usage.ru_maxrss * unit}".encode())
    return os.waitstatus_to_exitcode(status) & 255


if __name__ == "__main__":
    sys.exit(main())
