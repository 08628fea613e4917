"""DuckDB-Wasm as a site has it: a fixed version, from a folder or from its usual CDN."""

from __future__ import annotations

import base64
import hashlib
import shutil
from pathlib import Path

from evalsql.errors import UsageError

PACKAGE = "@duckdb/duckdb-wasm"
VERSION = "1.33.1-dev65.0"  # of the package; its engine is DuckDB 1.5.6
WORKER, WASM = "duckdb-browser-eh.worker.js", "duckdb-eh.wasm"
CDN = f"https://cdn.jsdelivr.net/npm/{PACKAGE}@{VERSION}/dist/"
FOLDER = "duckdb/"
# The page takes no other files than these, whoever serves them.
SUMS = {
    WORKER: "sha384-i0OQ1Tgir74BLt97iOu3RSuiEcSDVbaruBGyjCxyRr7sy49oVfmp30r28o6Lthc0",
    WASM: "sha384-7RMibfLYcsAQjQ7gJ9HVOjkqJQ8wcBjoSD4fIY+ZCz7uLGWCPotv7FQ/u4JFyHVT",
}


def copy_engine(source: Path, site: Path) -> str:
    """Copy what the console needs of an unpacked package into a site; returns its address there.

    Raises:
        UsageError: the folder lacks a file, or has one of another version.
    """
    folder = next(
        (each for each in (source / "dist", source / "package" / "dist", source) if (each / WASM).is_file()), None
    )
    how = f"npm pack {PACKAGE}@{VERSION} fetches the package, tar -xzf unpacks it"
    if folder is None:
        raise UsageError(f"{source}: there is no {WASM} in it; {how}")
    (site / FOLDER).mkdir()
    for name, expected in SUMS.items():
        if not (folder / name).is_file():
            raise UsageError(f"{folder}: there is no {name} in it; {how}")
        if checksum(folder / name) != expected:
            raise UsageError(f"{folder / name}: is not that of version {VERSION}; {how}")
        shutil.copyfile(folder / name, site / FOLDER / name)
    return FOLDER


def checksum(path: Path) -> str:
    """As browsers check it."""
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha384").digest()
    return f"sha384-{base64.b64encode(digest).decode()}"
