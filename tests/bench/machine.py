"""What the figures hold for: the machine and the versions of all that took part."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.bench.processes import ROOT

_PACKAGES = ("evalsql", "duckdb", "pytrec-eval-terrier", "ir-measures", "ranx", "scipy", "numba", "numpy")


def machine() -> dict[str, str | int]:
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.machine()}",
    }


def versions() -> dict[str, str]:
    found = {"Python": platform.python_version()}
    for package in _PACKAGES:
        if installed := installed_version(package):
            found[package] = installed
    try:
        command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
        found["commit"] = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        pass
    return found


def installed_version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def in_words(machine: dict[str, str | int], versions: dict[str, str]) -> str:
    memory = int(machine["memory_bytes"]) / 2**30
    packages = ", ".join(f"{name} {number}" for name, number in versions.items())
    return f"{machine['cores']} cores ({machine['processor']}), {memory:.0f} GB, {machine['system']}\n{packages}"


def available_memory() -> int:
    """Bytes that a process could still take."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
