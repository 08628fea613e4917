"""A paper's table as a TOML file describes it: systems, measures, tests, caption."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalsql.errors import UsageError
from evalsql.report.comparison import CORRECTIONS, TESTS

EXAMPLE = 'systems = ["bm25", {run = "bm25-rm3", name = "BM25 + RM3"}, {system = "hybrid"}]'
_ENTRY_KEYS: Mapping[str, Collection[str]] = {"systems": ("run", "system", "name"), "measures": ("measure", "name")}


@dataclass(frozen=True)
class Entry:
    """A system or a measure: what it is, and what the table calls it.

    ``key`` is run, system or measure; ``number`` its place in the list.
    """

    key: str
    value: str
    name: str
    number: int


@dataclass
class PaperFile:
    """What the file says; ``problem`` notes what is wrong, and ``check`` raises all of that at once."""

    path: Path
    text: str
    systems: list[Entry] = field(default_factory=list)
    measures: list[Entry] = field(default_factory=list)
    qrels: str | None = None
    baseline: str | None = None
    pairs: bool = True
    test: str = "t"
    correction: str = "holm"
    family: str = "all"
    alpha: float = 0.05
    samples: int = 10_000
    seed: int = 42
    order: str = "given"
    relative: bool = False
    digits: int = 4
    caption: str = ""
    label: str = ""
    problems: list[tuple[int, str]] = field(default_factory=list)

    def problem(self, key: str, message: str, number: int | None = None) -> None:
        """Note what is wrong with a key, or with an entry of its list."""
        named = key if number is None else f"{key}, entry {number + 1}"
        line = _line(self.text, key, number)
        self.problems.append((line, f"{self.path}{f':{line}' if line else ''}: {named}: {message}"))

    def check(self) -> None:
        """Raise UsageError with all that is wrong, line by line."""
        if self.problems:
            raise UsageError("\n".join(message for _, message in sorted(self.problems, key=lambda each: each[0])))


def _is_text(value: Any) -> str | None:
    return None if isinstance(value, str) and value.strip() else "must be a text"


def _is_boolean(value: Any) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _is_whole(least: int, most: int) -> Callable[[Any], str | None]:
    def check(value: Any) -> str | None:
        fits = isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        return None if fits else f"must be a whole number from {least} to {most}"

    return check


def _is_level(value: Any) -> str | None:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1
    return None if fits else "must be a number between 0 and 1"


def _is_one_of(known: Collection[str]) -> Callable[[Any], str | None]:
    return lambda value: None if value in known else f'is "{value}", it must be one of {", ".join(known)}'


def _is_label(value: Any) -> str | None:
    fits = isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9:._/+-]+", value)
    return None if fits else "must be letters, digits, colons, dots and hyphens, such as tab:main"


_CHECKS: Mapping[str, Callable[[Any], str | None]] = {
    "qrels": _is_text,
    "baseline": _is_text,
    "pairs": _is_boolean,
    "test": _is_one_of(list(TESTS)),
    "correction": _is_one_of(list(CORRECTIONS)),
    "family": _is_one_of(["all", "measure"]),
    "alpha": _is_level,
    "samples": _is_whole(1, 2147483647),
    "seed": _is_whole(0, 4294967295),
    "order": _is_one_of(["given", "mean"]),
    "relative": _is_boolean,
    "digits": _is_whole(0, 17),
    "caption": _is_text,
    "label": _is_label,
}
KEYS = (*_ENTRY_KEYS, *_CHECKS)


def read_paper(path: Path) -> PaperFile:
    """Read the description of a table.

    Raises:
        UsageError: it cannot be read, or says something else; all of it at once, each with file, line and key.
    """
    try:
        text = path.read_text(encoding="utf-8")
        content = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: is no TOML: {error}") from error
    paper = PaperFile(path, text)
    for key, value in content.items():
        if key in _ENTRY_KEYS:
            setattr(paper, key, _entries(paper, key, value))
        elif key not in _CHECKS:
            paper.problem(key, f"is not known; there are {', '.join(KEYS)}")
        elif wrong := _CHECKS[key](value):
            paper.problem(key, wrong)
        else:
            setattr(paper, key, value)
    if "systems" not in content or (len(paper.systems) == 1 == len(content["systems"])):
        paper.problem("systems", f"a table takes two at least: {EXAMPLE}")
    if "measures" not in content:
        paper.problem("measures", 'a table takes one at least: measures = ["nDCG@10", "AP"]')
    if "pairs" not in content:
        paper.pairs = paper.baseline is None
    if paper.baseline is None and "baseline" not in content and (not paper.pairs or paper.relative):
        paper.problem("baseline", f"is missing, and {'relative = true' if paper.pairs else 'pairs = false'} needs it")
    paper.check()
    return paper


def _entries(paper: PaperFile, key: str, value: Any) -> list[Entry]:
    """What a list of texts and tables holds."""
    if not isinstance(value, list) or not value:
        paper.problem(key, "must be a list that is not empty")
        return []
    *kinds, _ = _ENTRY_KEYS[key]
    found = []
    for number, each in enumerate(value):
        given = {kinds[0]: each} if isinstance(each, str) else each
        if not isinstance(given, dict):
            paper.problem(key, f"is {each!r}, expected a text or a table with {', '.join(_ENTRY_KEYS[key])}", number)
            continue
        unknown = [name for name in given if name not in _ENTRY_KEYS[key]]
        named = [kind for kind in kinds if kind in given]
        if unknown:
            paper.problem(key, f'has "{unknown[0]}", it takes {", ".join(_ENTRY_KEYS[key])}', number)
        elif len(named) != 1:
            paper.problem(key, f"takes {' or '.join(kinds)}, one of them", number)
        elif wrong := [name for name, text in given.items() if _is_text(text)]:
            paper.problem(key, f"{wrong[0]} must be a text", number)
        else:
            text = str(given[named[0]])
            found.append(Entry(named[0], text, str(given.get("name", text)), number))
    return found


def _line(text: str, key: str, number: int | None) -> int:
    """The line of a key, of an entry that has a heading of its own the line of that; 0 where it is missing."""
    headings = list(re.finditer(rf"^[ \t]*\[\[\s*{re.escape(key)}\s*\]\]", text, re.MULTILINE))
    written = re.search(rf"^[ \t]*[\"']?{re.escape(key)}[\"']?\s*=", text, re.MULTILINE)
    place = headings[number] if number is not None and number < len(headings) else written or next(iter(headings), None)
    return text.count("\n", 0, place.start()) + 1 if place else 0
