"""Writes a site: the whole folder or nothing of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from evalsql.database.names import Names
from evalsql.errors import UsageError
from evalsql.progress import Progress, silent
from evalsql.report.site.copying import DEPTH, Copy, write_copy
from evalsql.report.site.engine import CDN, copy_engine
from evalsql.report.site.pages import sections, site_pages
from evalsql.report.site.parts import Frame
from evalsql.report.site.places import places
from evalsql.report.site.results import gather
from evalsql.warehouse.outputs import whole_folder
from evalsql.warehouse.warehouse import Warehouse

_FILES = Path(__file__).resolve().parent.parent
_SCRIPTS = ("site.js", "duckdb.js", "results.js", "completion.js", "console.js")
_MARK = ".evalsql-site"  # a folder with this file was written here and may be written anew


class Site(NamedTuple):
    """What was written."""

    num_pages: int
    size: int
    copy: Copy
    engine: str


def check_folder(folder: Path) -> None:
    """Raise UsageError where something stands that is no site."""
    if os.path.lexists(folder) and not (folder / _MARK).is_file() and not _is_empty(folder):
        raise UsageError(f"{folder}: is there already and is no site of evalsql; name another folder")


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not folder.is_symlink() and not any(folder.iterdir())


def write_site(
    warehouse: Warehouse,
    measures: Sequence[str],
    folder: Path,
    *,
    program_version: str,
    qrels: Names = (),
    runs: Names = (),
    baseline: str | None = None,
    title: str = "",
    depth: int | None = DEPTH,
    wasm: Path | None = None,
    progress: Progress = silent,
) -> Site:
    """Write the site of a warehouse; one that stands in the folder is replaced.

    Args:
        measures: names; the first is what systems are ordered by.
        qrels, runs: names or globs of what the site shows and its copy of the warehouse holds; all by default.
        baseline: run that others are compared with.
        title: what stands above; by default the name of the judgment set, or of the file where there are several.
        depth: documents of each ranking that the copy holds at least; None is all.
        wasm: folder of the unpacked npm package of DuckDB-Wasm; without it readers fetch it from its CDN.

    Raises:
        UsageError: unknown names, or the folder holds something else.
        WarehouseError: the disk is full.
    """
    check_folder(folder)
    found = gather(
        warehouse,
        measures,
        program_version=program_version,
        qrels=qrels,
        runs=runs,
        baseline=baseline,
        progress=progress,
    )
    there = places(found, warehouse.catalog)
    named = title or (found[0].qrels if len(found) == 1 else Path(warehouse.path).stem)
    made = f"Made by evalsql {program_version}. Every figure here is a query of the warehouse."
    frame = Frame(named, made, sections(found, there))
    with whole_folder(folder, is_ours=True) as part:
        engine = copy_engine(wasm, part) if wasm else CDN
        progress("writing the site", 0, 2)
        copy = write_copy(warehouse.database, found, part, depth)
        progress("writing the site", 1, 2)
        num_pages = _write_pages(part, site_pages(found, warehouse.catalog, there, frame, copy, engine))
        _write_shared_files(part)
        _write(part / _MARK, f"evalsql {program_version}\n")
        size = sum(path.stat().st_size for path in part.rglob("*") if path.is_file() and path.parent.name != "duckdb")
        progress("writing the site", 2, 2)
    return Site(num_pages, size, copy, engine)


def _write_pages(folder: Path, files: Iterable[tuple[str, str]]) -> int:
    """Write files by their addresses; how many of them are pages."""
    num_pages = 0
    for address, text in files:
        _write(folder / address, text)
        num_pages += address.endswith(".html")
    return num_pages


def _write_shared_files(folder: Path) -> None:
    """Write the scripts and styles that all pages have."""
    for name in _SCRIPTS:
        _write(folder / name, (_FILES / "sitefiles" / name).read_text(encoding="utf-8"))
    styles = [_FILES / "pagefiles" / "page.css", _FILES / "sitefiles" / "site.css"]
    _write(folder / "site.css", "".join(style.read_text(encoding="utf-8") for style in styles))
    _write(folder / ".nojekyll", "")  # GitHub's pages are served as they are


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n", errors="surrogateescape") as stream:
        stream.write(text)
