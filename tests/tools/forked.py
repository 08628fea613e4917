"""The command ``evalsql`` without its start: a process that has imported everything forks for every call.

``put_command`` writes the command; ``serving`` starts the process behind it. Each call is a process of its own, with
the folder, the environment and the streams of its caller, so pipes, exit codes and signals are those of a shell.
Nothing but imports is shared by calls.
"""

import contextlib
import json
import os
import pkgutil
import select
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent.parent
_PATIENCE = 600.0  # seconds
# Not from evalsql, which would import for as long as the command itself.
_COMMAND = """\
#!{python} -IS
import json, os, socket, sys
waiting = socket.socket(socket.AF_UNIX)
waiting.connect({address!r})
called = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(waiting, [len(called).to_bytes(8, "little")], [0, 1, 2])
waiting.sendall(called)
code = int(waiting.makefile().read())
if code < 0:
    os.kill(os.getpid(), -code)
os._exit(code)
"""


def put_command(path: Path, address: str) -> None:
    """Write the command that calls the process which listens there."""
    path.write_text(_COMMAND.format(python=sys.executable, address=address), encoding="utf-8")
    path.chmod(0o755)


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """Where a new process listens; it ends with the block."""
    with tempfile.TemporaryDirectory() as folder:
        address = f"{folder}/calls"
        server = subprocess.Popen([sys.executable, "-m", __name__, address], stdin=subprocess.PIPE, cwd=_ROOT)
        try:
            deadline = time.monotonic() + _PATIENCE
            while not Path(address).exists():
                if server.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError("the process that forks for each call has not started")
                time.sleep(0.02)
            yield address
        finally:
            server.communicate()  # it ends when its standard input does, so also where this process is killed


def _import_all() -> None:
    """Import the command line, all of it: what a call would import by itself."""
    for package in ("evalsql.cli", "evalsql.report", "evalsql.evaluation", "evalsql.warehouse", "evalsql.ingest"):
        found = import_module(package)
        for module in pkgutil.walk_packages(found.__path__, f"{package}."):
            with contextlib.suppress(ImportError):  # of packages that are not installed
                import_module(module.name)


def _serve(address: str) -> None:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(f"{address}.new")
    listening.listen(16)
    os.rename(f"{address}.new", address)
    while listening in select.select([listening, sys.stdin], [], [])[0]:
        calling, _ = listening.accept()
        if os.fork() == 0:
            listening.close()
            _answer(calling)
        calling.close()
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


def _answer(calling: socket.socket) -> None:
    """Run the call in a process below this one and send how that ends."""
    head, streams, _, _ = socket.recv_fds(calling, 8, 3)
    with calling.makefile("rb") as sent:
        arguments, folder, environment = json.loads(sent.read(int.from_bytes(head, "little")))
    child = os.fork()
    if child == 0:
        calling.close()
        _run(arguments, folder, environment, streams)
    for stream in streams:
        os.close(stream)  # whoever reads what the call prints waits for the end of it
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(OSError):
        calling.sendall(f"{ended}".encode())
    os._exit(0)


def _run(arguments: list[str], folder: str, environment: dict[str, str], streams: list[int]) -> None:
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["evalsql", *arguments]
    sys.stdin, sys.stdout = os.fdopen(0, encoding="utf-8"), os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1)
    from evalsql.__main__ import run

    try:
        run()
    except SystemExit as ended:
        sys.stdout.flush()
        os._exit(ended.code if isinstance(ended.code, int) else 1)
    except BaseException:
        import traceback

        traceback.print_exc()
        os._exit(1)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    _import_all()
    _serve(sys.argv[1])
