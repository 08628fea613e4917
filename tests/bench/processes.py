"""Commands run as processes of their own, with the time and the memory each takes."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = (sys.executable,)
EVALSQL = (sys.executable, "-m", "evalsql")
_NOT_INHERITED = ("EVALSQL_DB", "PYTHONDONTWRITEBYTECODE")


@dataclass(frozen=True)
class Outcome:
    """One run of a command: seconds by the clock, of its own code and in the system, and the most memory, in bytes."""

    wall: float
    user: float
    system: float
    peak: int
    output: str


class CommandError(Exception):
    """A command that ended with something else than 0, and what it said."""


def run(command: Sequence[object], environment: dict[str, str] | None = None) -> Outcome:
    """Run a command in a fresh process, in the project's folder.

    Raises:
        CommandError: it did not end with 0.
    """
    words = [str(word) for word in command]
    # Where Python may not write bytecode it would compile this package each time, which no installed one has to be.
    inherited = {key: value for key, value in os.environ.items() if key not in _NOT_INHERITED}
    reading, writing = os.pipe()
    with os.fdopen(reading) as report:
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.bench.launcher", str(writing), *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=ROOT,
                env={**inherited, **(environment or {})},
                pass_fds=(writing,),
                start_new_session=True,
            )
        finally:
            os.close(writing)
        output, problems = _ended(process)
        if process.returncode:
            shown = " ".join(words if len(words) < 12 else [*words[:12], "..."])
            raise CommandError(f"{shown} ended with {process.returncode}: {problems.strip()[-2000:]}")
        wall, user, system, peak = report.read().split()
    return Outcome(float(wall), float(user), float(system), int(peak), output)


def _ended(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What it wrote; it does not outlive the one who waits for it, and neither does what it started."""
    try:
        return process.communicate()
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
