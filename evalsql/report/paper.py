"""A paper's table as a TOML file describes it (systems, measures, tests, caption), and the comparison it asks for."""

import fnmatch
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from evalsql.catalog.measure_names import parse_measures
from evalsql.database.names import only_qrels, resolve_names
from evalsql.errors import UsageError
from evalsql.evaluation.boards import board
from evalsql.evaluation.evaluation import FAMILIES
from evalsql.evaluation.gate_rules import read_parsed
from evalsql.evaluation.selection import Choice, choose_runs, held_systems
from evalsql.phrases import counted
from evalsql.report.comparison import CORRECTIONS, TESTS, Comparison, arranged, compare_runs, verdict
from evalsql.report.table import BETTER, WORSE, Table
from evalsql.report.writers import escape_latex
from evalsql.warehouse.warehouse import Warehouse

_T = TypeVar("_T")
EXAMPLE = 'systems = ["bm25", {run = "bm25-rm3", name = "BM25 + RM3"}, {system = "hybrid"}]'
_ENTRY_KEYS: Mapping[str, Collection[str]] = {
    "systems": ("run", "system", "name"),
    "measures": ("measure", "name"),
    "collections": ("collection", "name"),
}
_OF_ONE_SET = ("pairs", "test", "correction", "family", "relative")  # keys that a table of collections does not take


class Entry(NamedTuple):
    """A system or a measure: run, system or measure, which one, what the table calls it, its place in the list."""

    key: str
    value: str
    name: str
    number: int


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _key(default: Any, is_right: Callable[[Any], Any], expected: str) -> Any:
    """A key of the file with its default, what a value must be, and what is said of others."""
    return field(default=default, metadata={"is_right": is_right, "expected": expected})


def _whole(default: int, least: int, most: int) -> Any:
    expected = f"must be a whole number from {least} to {most}"
    return _key(default, lambda value: type(value) is int and least <= value <= most, expected)


def _one_of(default: str, *known: str) -> Any:
    return _key(default, known.__contains__, f'is "{{}}", but must be one of {", ".join(known)}')


_TEXT = (_is_text, "must be a text")
_BOOLEAN = (lambda value: isinstance(value, bool), "must be true or false")
_SHARE = (lambda value: type(value) in (int, float) and 0 < value < 1, "must be a number between 0 and 1")
_LABEL = (
    lambda value: isinstance(value, str) and re.fullmatch(r"[A-Za-z0-9:._/+-]+", value),
    "must be letters, digits, colons, dots and hyphens, such as tab:main",
)


@dataclass
class PaperFile:
    """What the file says; ``problem`` notes what is wrong, and ``check`` raises all of that at once."""

    path: Path
    text: str
    systems: list[Entry] = field(default_factory=list)
    measures: list[Entry] = field(default_factory=list)
    collections: list[Entry] = field(default_factory=list)
    missing: str = _one_of("complete", "complete", "common")
    qrels: str | None = _key(None, *_TEXT)
    baseline: str | None = _key(None, *_TEXT)
    pairs: bool = _key(True, *_BOOLEAN)
    test: str = _one_of("t", *TESTS)
    correction: str = _one_of("holm", *CORRECTIONS)
    family: str = _one_of("measure", *FAMILIES)
    alpha: float = _key(0.05, *_SHARE)
    samples: int = _whole(10_000, 1, 2147483647)
    seed: int = _whole(42, 0, 4294967295)
    order: str = _one_of("given", "given", "mean")
    relative: bool = _key(False, *_BOOLEAN)
    digits: int = _whole(4, 0, 17)
    header: str = _key("run", *_TEXT)
    raw_names: bool = _key(False, *_BOOLEAN)
    caption: str = _key("", *_TEXT)
    label: str = _key("", *_LABEL)
    problems: list[tuple[int, str]] = field(default_factory=list)

    def problem(self, key: str, message: str, number: int | None = None) -> None:
        named = key if number is None else f"{key}, entry {number + 1}"
        line = _line(self.text, key, number)
        self.problems.append((line, f"{self.path}{f':{line}' if line else ''}: {named}: {message}"))

    def check(self) -> None:
        if self.problems:
            raise UsageError("\n".join(message for _, message in sorted(self.problems, key=lambda each: each[0])))


# By key of the file what a value must be, and what is said of others.
_CHECKS = {each.name: each.metadata for each in fields(PaperFile) if each.metadata}


def read_paper(path: Path) -> PaperFile:
    """Read the description of a table, and note what is wrong; UsageError for what is no TOML file."""
    text, content = read_parsed(path, tomllib.loads, "TOML")
    paper = PaperFile(path, text)
    for key, value in content.items():
        if key in _ENTRY_KEYS:
            setattr(paper, key, _entries(paper, key, value))
        elif key not in _CHECKS:
            paper.problem(key, f"is not known; there are {', '.join([*_ENTRY_KEYS, *_CHECKS])}")
        elif not _CHECKS[key]["is_right"](value):
            paper.problem(key, _CHECKS[key]["expected"].format(value))
        else:
            setattr(paper, key, value)
    if "systems" not in content or (len(paper.systems) == 1 == len(content["systems"])):
        paper.problem("systems", f"a table takes two at least: {EXAMPLE}")
    if "measures" not in content:
        paper.problem("measures", 'a table takes one at least: measures = ["nDCG@10", "AP"]')
    if paper.collections:
        used = "over collections the paired t test and Holm are used"
        for key in [key for key in _OF_ONE_SET if key in content]:
            paper.problem(key, f"is for a table of one judgment set; {used}")
        if len(paper.measures) > 1:
            paper.problem("measures", "a table of collections is by one measure")
    elif "missing" in content:
        paper.problem("missing", "is for a table of collections")
    if "pairs" not in content:
        paper.pairs = paper.baseline is None
    if paper.baseline is None and "baseline" not in content and (not paper.pairs or paper.relative):
        paper.problem("baseline", f"is missing, and {'relative = true' if paper.pairs else 'pairs = false'} needs it")
    return paper


def _entries(paper: PaperFile, key: str, value: Any) -> list[Entry]:
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
        elif wrong := [name for name, text in given.items() if not _is_text(text)]:
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


def paper_comparison(warehouse: Warehouse, paper: PaperFile) -> Comparison:
    """The comparison that a file describes, of what is loaded now; UsageError with all that is wrong in it."""

    def find_runs(entry: Entry) -> Sequence[str]:
        if entry.key != "system":
            return list(resolve_names(warehouse.database, "run", [entry.value]))
        (system,) = held_systems(warehouse.database, [entry.value])
        return list(choose_runs(warehouse.database, Choice(systems=[system], last=1)))

    runs = _found(paper, "systems", find_runs)
    measures = _found(paper, "measures", lambda entry: parse_measures([entry.value], warehouse.catalog))
    called = {"systems": [*runs.items()], "measures": [(entry, each.name) for entry, each in measures.items()]}
    base = _check_called(paper, called)
    qrels = []
    try:
        qrels.append(only_qrels(warehouse.database, paper.qrels or None, "a table is of one judgment set, name it"))
    except UsageError as error:
        paper.problem("qrels", str(error))
    paper.check()
    names = list(runs.values())
    tested = {key: getattr(paper, key) for key in ("alpha", "test", "correction", "family", "samples", "seed")}
    baseline = None if paper.pairs else base
    query, _, compared = compare_runs(warehouse, baseline, names, [*measures.values()], qrels=qrels, **tested)
    order = names if paper.order == "given" else ()
    renamed = {name: entry.name for found in called.values() for entry, name in found}
    changed_from = base if paper.relative else None
    shown, *_ = arranged(warehouse, compared, order, renamed, beside=base, changed_from=changed_from, pairs=query)
    if missing := [run for run in names if run not in shown.runs]:
        raise UsageError(f"{paper.path}: {shown.qrels} does not evaluate {', '.join(missing)}")
    return shown._replace(text=paper.caption.strip(), label=paper.label)


def _check_called(paper: PaperFile, called: Mapping[str, Sequence[tuple[Entry, str]]]) -> str | None:
    """Note names that are there twice, and a baseline that is none of the systems; returns what it is called."""
    for key, found in called.items():
        for at, (entry, name) in enumerate(found):
            if name in [other for _, other in found[:at]]:
                paper.problem(key, f"{name} is there twice", entry.number)
    systems = called["systems"]
    bases = [name for entry, name in systems if paper.baseline in (name, entry.value, entry.name)]
    if paper.baseline is not None and len(bases) != 1 and len(systems) == len(paper.systems):
        paper.problem("baseline", f'"{paper.baseline}" is not one of the systems')
    return bases[0] if bases else None


def paper_board(warehouse: Warehouse, paper: PaperFile) -> tuple[Table, Mapping[str, str], Sequence[str]]:
    """Systems by collections with their mean, the other names of systems, and what is to be said beside the table."""
    order = [each.value for each in paper.systems]
    base = _check_called(paper, {"systems": [(each, each.value) for each in paper.systems]})
    paper.check()
    names = {each.value: each.name for each in (*paper.systems, *paper.collections, *paper.measures)}
    collections = [each.value for each in paper.collections]
    asked: dict[str, Any] = {key: getattr(paper, key) for key in ("missing", "samples", "seed")}
    asked |= {"measure": paper.measures[0].value, "collections": collections, "qrels": paper.qrels or ()}
    try:
        found = board(warehouse.evaluation, order, **asked)
        pairs = board(warehouse.evaluation, order, **asked, baseline=base).query if base else None
    except UsageError as error:
        raise UsageError(f"{paper.path}: {error}") from error
    tested = [row._asdict() for row in warehouse.database.records(pairs)] if pairs else []
    table = Table(*warehouse.database.table(found.query))
    if absent := [each for each in order if each not in table.values("system")]:
        lacks = "lacks a collection of the table"
        raise UsageError(f'{paper.path}: {absent[0]} {lacks}; missing = "common" takes the others')
    fitting = (fnmatch.filter(found.collections, each) for each in collections)
    columns = list(dict.fromkeys(chain.from_iterable(fitting)))
    shown = table.picked("system", *columns, "mean")
    rows = sorted(shown, key=lambda row: order.index(row[0])) if paper.order == "given" else shown
    lower = {found.measure} if "mean" in found.lower else set()
    marks = {pair["system"]: verdict(pair, paper.alpha, lower) for pair in tested}
    measure = names[paper.measures[0].value]
    caption = paper.caption.strip() or f"{measure} on {len(found.collections)} collections; the best in bold."
    if base:
        held = f"p corrected by Holm for {counted(len(tested), 'test')}, alpha = {paper.alpha:g}"
        how = f"paired t test over collections, {held}"
        caption += f" {BETTER} is significantly better than {names[base]}, {WORSE} significantly worse ({how})."
    header = "system" if paper.header == "run" else paper.header
    # What a pattern found is no name of the file's, and no LaTeX.
    others = {each: escape_latex(each) if paper.raw_names else each for each in columns}
    heads = [header, *((others | names)[each] for each in columns), "mean"]
    made = Table(
        heads,
        [[names[name], *values] for name, *values in rows],
        marks={(nth, len(heads) - 1): mark for nth, row in enumerate(rows) if (mark := marks.get(row[0]))},
        caption=caption,
        label=paper.label or "tab:board",
        is_raw=paper.raw_names,
    ).with_best({*heads} if lower else set(), paper.digits, first=1, by=0)
    return made, {each.value: each.name for each in paper.systems}, found.notes


def paper_table(paper: PaperFile, compared: Comparison) -> Table:
    """Systems by measures, under the heading of the file; where it says so, names are LaTeX as they are."""
    table = compared.table(paper.digits)
    columns = [paper.header if name == "run" else name for name in table.columns]
    return table._replace(columns=columns, is_raw=paper.raw_names)


def _found(paper: PaperFile, key: str, find: Callable[[Entry], Sequence[_T]]) -> dict[Entry, _T]:
    """What each entry of a list is; notes those that name nothing, or several."""
    found: dict[Entry, _T] = {}
    for entry in getattr(paper, key):
        try:
            (found[entry],) = find(entry)
        except UsageError as error:
            paper.problem(key, str(error), entry.number)
        except ValueError:
            paper.problem(key, f'"{entry.value}" stands for several; name one', entry.number)
    return found


def made_from(paper: PaperFile, names: Mapping[str, str], what: str) -> str:
    """Comments for the head of a LaTeX file: what it is made of, and which run or system each name is."""
    lines = [f"Made by evalsql table {paper.path.name}; changes belong there."]
    lines += [f"{name} is the {what} {own}." for own, name in names.items() if own != name]
    return "".join(f"% {''.join(char if char.isprintable() else ' ' for char in line)}\n" for line in lines)
