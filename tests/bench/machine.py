"""What the figures hold for: the machine and the versions of all that took part."""

import os
import platform
import subprocess
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.bench.processes import ROOT

_PACKAGES = ("evalsql", "duckdb", "pytrec-eval-terrier", "scipy", "numpy")


def in_words() -> str:
    """The machine in one line, the versions in another."""
    processor = _line("/proc/cpuinfo", "model name") or platform.processor() or platform.machine()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    system = f"{_memory() / 2**30:.0f} GB, {platform.system()} {platform.machine()}"
    found = {"Python": platform.python_version()}
    found |= {package: installed for package in _PACKAGES if (installed := installed_version(package))}
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    with suppress(OSError, subprocess.CalledProcessError):
        found["commit"] = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    packages = ", ".join(f"{name} {number}" for name, number in found.items())
    return f"{cores} cores ({processor}), {system}\n{packages}"


def installed_version(package: str) -> str | None:
    with suppress(PackageNotFoundError):
        return version(package)
    return None


def available_memory() -> int:
    """Bytes that a process could still take."""
    found = _line("/proc/meminfo", "MemAvailable")
    return int(found.split()[0]) * 1024 if found else _memory()


def _memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _line(path: str, name: str) -> str:
    """What a file of Linux has under a name; nothing elsewhere."""
    with suppress(OSError):
        for line in Path(path).read_text().splitlines():
            if line.startswith(name):
                return line.partition(":")[2].strip()
    return ""
