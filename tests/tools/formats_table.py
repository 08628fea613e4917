"""Writes the table of formats into the guide on loading: ``python -m tests.tools.formats_table``.

The first two columns stay; the others are made of the variants in ``tests/ingest/variants.py`` and
``topic_variants.py``. ``tests/ingest/test_formats.py`` and ``test_topics.py`` load each of them by each door that the
table names.
"""

import re
from collections.abc import Iterable

from tests.conftest import ROOT
from tests.ingest.topic_variants import TOPICS_FILES, TOPICS_FRAMES
from tests.ingest.variants import FRAMES, QRELS_FILES, QRELS_FRAMES, RUNS
from tests.tools.marked import part, write_part

PAGE = ROOT / "evalsql" / "docs" / "loading.md"

OTHER_NAMES = {"an iterator of tuples": "tuples"}
# Formats as the guide lists them, with what writes them; a variant belongs to the longest one that it starts with.
GUIDE: dict[str, str] = dict(
    re.findall(r"^\| (.+?) \| (.+?) \| .+ \| .+ \| .+ \|$", part(PAGE.read_text(encoding="utf-8"), "formats"), re.M)[1:]
)


def format_of(kind: str) -> str:
    """The format of the guide that a variant is of."""
    kind = OTHER_NAMES.get(kind, kind)
    return max((name for name in GUIDE if kind.startswith(name)), key=len)


def table() -> str:
    """A row for each format: what writes it, and by which doors it comes as a run, as judgments and as topics."""
    doors = ((RUNS, FRAMES), (QRELS_FILES, QRELS_FRAMES), (TOPICS_FILES, TOPICS_FRAMES))
    lines = ["| format | as written by | run | judgments | topics |", "|---|---|---|---|---|"]
    for name, writer in GUIDE.items():
        cells = [_cell(name, files, frames) for files, frames in doors]
        lines.append(f"| {name} | {writer} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(name: str, files: Iterable[str], frames: Iterable[str]) -> str:
    if name in map(format_of, files):
        return "file, standard input"
    return "in memory" if name in map(format_of, frames) else "no"


if __name__ == "__main__":
    write_part(PAGE, "formats", table())
