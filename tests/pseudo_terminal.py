"""A command on a terminal of its own, as a user sits before it."""

from __future__ import annotations

import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path

# Nobody here tells a program where the cursor stands.
_NO_ANSWERS = {"PROMPT_TOOLKIT_NO_CPR": "1"}
_PATIENCE = 300.0  # seconds, for machines that are slow or busy
ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[a-zA-Z]|\][^\x07]*\x07|[=>])")


class Terminal:
    """``evalsql`` with standard input, output and error on a pseudo terminal of so many columns."""

    def __init__(self, *arguments: object, columns: int = 80, folder: Path | None = None, **environment: str) -> None:
        import fcntl
        import struct
        import termios

        self.ours, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        kept = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "evalsql", *map(str, arguments)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env={**kept, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **_NO_ANSWERS, **environment},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        self.shown = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.ours)

    def send(self, text: str) -> None:
        os.write(self.ours, text.encode())

    def until(self, wanted: str, seconds: float = _PATIENCE) -> str:
        """What it shows down to these words, without escapes; they are looked for behind the last ones found."""
        end = time.monotonic() + seconds
        while wanted not in plain(self.shown):
            if not self._read(end):
                raise AssertionError(f"{wanted!r} did not come: {plain(self.shown)!r}")
        before, _, self.shown = plain(self.shown).partition(wanted)
        return before + wanted

    def until_keys_are_signals(self, seconds: float = _PATIENCE) -> None:
        """Wait until Ctrl-C is a signal to the program, as while it works, and no key to what edits a line."""
        import termios

        end = time.monotonic() + seconds
        while not termios.tcgetattr(self.ours)[3] & termios.ISIG:
            if time.monotonic() > end:
                raise AssertionError(f"it still edits a line: {plain(self.shown)!r}")
            time.sleep(0.02)

    def to_the_end(self, seconds: float = _PATIENCE) -> str:
        """Everything that it still shows, escapes and all."""
        end = time.monotonic() + seconds
        while self._read(end):
            pass
        self.process.wait(timeout=seconds)
        return self.shown.replace("\r\n", "\n")

    def _read(self, end: float) -> bool:
        if not select.select([self.ours], [], [], max(0, end - time.monotonic()))[0]:
            return False
        try:
            part = os.read(self.ours, 65_536)
        except OSError:  # the other end is closed
            return False
        self.shown += part.decode(errors="replace")
        return bool(part)


def plain(text: str) -> str:
    """The text without what moves the cursor and colours."""
    return ESCAPES.sub("", text).replace("\r", "")
