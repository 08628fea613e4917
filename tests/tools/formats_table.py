"""Writes the table of formats into the guide on loading: ``python -m tests.tools.formats_table``.

It is made of the variants in ``tests/ingest/variants.py``, each of which ``tests/ingest/test_formats.py`` loads by each
door that the table names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from tests.conftest import ROOT
from tests.ingest.variants import FRAMES, GUIDE, QRELS_FILES, QRELS_FRAMES, RUNS, format_of

PAGE = ROOT / "evalsql" / "docs" / "loading.md"
_TABLE = re.compile(r"(?<=<!-- formats: begin -->\n\n).*?(?=\n<!-- formats: end -->)", re.DOTALL)


def table() -> str:
    """A row for each format: what writes it, and by which doors it comes as a run and as judgments."""
    runs, judged = _formats(RUNS), _formats(QRELS_FILES)
    run_frames, judged_frames = _formats(FRAMES), _formats(QRELS_FRAMES)
    lines = ["| format | as written by | run | judgments |", "|---|---|---|---|"]
    for name, writer in GUIDE.items():
        cells = (_cell(name, runs, run_frames), _cell(name, judged, judged_frames))
        lines.append(f"| {name} | {writer} | {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _formats(kinds: Iterable[str]) -> set[str]:
    return set(map(format_of, kinds))


def _cell(name: str, files: set[str], frames: set[str]) -> str:
    return "file, standard input" if name in files else "in memory" if name in frames else "no"


def page(text: str) -> str:
    """The guide with the table in its place."""
    return _TABLE.sub(lambda _: table(), text)


def main() -> None:
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
