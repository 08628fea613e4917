"""The header of a relation file: comment lines ``-- key: value``, some keys with indented entries below.

Parameters and columns that several relations have are described once, in ``parameters.txt`` and ``columns.txt`` of the
folder or of one above it.
"""

from __future__ import annotations

import difflib
import math
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import starmap
from pathlib import Path
from typing import NamedTuple

from evalsql.catalog import SQL_ROOT
from evalsql.errors import CatalogError, UsageError
from evalsql.literals import Value
from evalsql.phrases import listed

# The columns that every measure gives first, in this order.
CONTRACT = {"qrels": "judgment set", "run": "run", "topic": "topic", "value": "value of the measure"}

_SECTIONS = ("parameters", "columns")
_REQUIRED_OF_MEASURES = ("measure", "title", "definition", "range", "mean")
_OF_MEASURES = ("example", "aliases", "trec_eval", "at", "scores", "better", "holes")
_OF_HELPERS = ("definition", "inputs", "shared", "quick", "crosses")
_OF_ALL = ("reference", "differs", "ties", *_SECTIONS)
_REPEATED = ("example", "trec_eval", "ties")
_KEY = re.compile(r"-- (\w+):\s*(.*)")
_ENTRY = re.compile(r"--   (\S.*)")
_CONTINUED = re.compile(r"--\s{4,}(\S.*)")
_END = r"[-+]?(?:inf|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)"
_ALIAS = re.compile(
    r"(?P<name>[^\s.(=]+)(?:\.(?P<parameters>\w+(?P<more>,\w+)*))?(?:\((?P<presets>.*)\))?"
    r"(?(more)|(?(parameters)(?:\s*=\s*(?P<cutoffs>\S+))?))"
)
_ALIAS_FORM = (_ALIAS.pattern, '"name[.parameters][(parameter=value)]", or with cutoffs "name.parameter = cutoffs"')
# By key a pattern for its values, and what they must be.
_FORMS: Mapping[str, tuple[str, str]] = {
    "mean": ("arithmetic|weighted|geometric|sum", "one of arithmetic, weighted, geometric, sum"),
    "range": (rf"{_END}\s+{_END}", "two numbers, the least and the greatest"),
    "scores": (r"no|@\d+", "no or a cutoff such as @10"),
    "shared": ("yes", "yes"),
    "quick": ("yes", "yes"),
    "crosses": ("topics", "topics"),
    "better": ("less", "less"),
    "ties": (r"\w+(?:, \w+)* = \w+", '"order, ... = relation"'),
    "holes": (
        r"none, \S.*|filled_ranks(?: to \w+)?(?:, added up|, first found|, stops)?|\w+_bounds(?:, added up)?",
        '"filled_ranks [to parameter][, added up|first found|stops]", "relation_bounds[, added up]" or "none, reason"',
    ),
    "inputs": (r"[^\W\d]\w*", "names of relations"),
    "aliases": _ALIAS_FORM,
    "trec_eval": _ALIAS_FORM,
}
_LISTS = ("inputs", "aliases")


class Alias(NamedTuple):
    """Another name of a measure, with the arguments it implies; trec_eval's names take values after a dot."""

    name: str
    parameters: Sequence[str] = ()  # what these values are of, in this order
    presets: Mapping[str, str] = {}
    cutoffs: Sequence[str] = ()  # the default ones, where the values are a list of which each gives a measure


class Header(NamedTuple):
    """What the header says. Keys that a kind of relation does not have are empty."""

    title: str
    parameters: Sequence[Parameter]
    columns: Mapping[str, str]
    inputs: Sequence[str]
    is_shared: bool  # whether the step is kept while many measures are evaluated
    is_quick: bool  # whether an audit takes no time that one notices
    crosses_topics: bool  # whether what it has of one topic hangs on the run's rankings of others
    ties: Mapping[str, str]  # by order of tied documents a relation, where that takes a formula of its own
    measure: str
    at: str  # the parameter whose value stands behind @ in the measure's name
    in_scores: bool  # whether the view ``scores`` holds the measure
    also_at: str  # at which cutoff beside its default it does
    less_is_better: bool
    holes: str  # the way its bounds over unjudged documents are found, or why it has none; empty: nobody has said
    aliases: Sequence[Alias]
    trec_eval: Sequence[Alias]
    definition: str
    reference: str
    differs: str
    range: str
    mean: str
    examples: Sequence[str]

    @property
    def bounds(self) -> tuple[float, float]:
        low, high = map(float, self.range.split())
        return low, high


class _Section(NamedTuple):
    """The lines of one key: the number of the first, its values, and the entries below with their numbers."""

    line: int
    values: list[str]
    entries: list[tuple[int, str]]


def read_header(path: Path, lines: Sequence[str], *, kind: str) -> Header:
    """Parse the comment lines that head ``path``; raises CatalogError with file and line of all that is wrong."""
    is_measure = kind == "measures"
    required, others = (_REQUIRED_OF_MEASURES, _OF_MEASURES) if is_measure else (("title",), _OF_HELPERS)
    faults: list[str] = []
    found = _read_sections(path, lines, (*required, *others, *_OF_ALL), faults)
    if lacking := [f'"{key}"' for key in required if key not in found or not found[key].values[0]]:
        faults.append(f"{path}:1: the header lacks {', '.join(lacking)}")
    parameters = _read_parameters(path, found["parameters"], faults) if "parameters" in found else []
    columns = _read_columns(path, found["columns"], faults) if "columns" in found else {}
    for key in ("aliases", "trec_eval") if not faults else ():
        section = found.get(key, _Section(0, [], []))
        for text in _items(",".join(section.values)) if key in _LISTS else section.values:
            faults += (f"{path}:{section.line}: {fault}" for fault in _alias_faults(text, parameters))
    if faults:
        raise CatalogError("\n".join(faults))
    every = defaultdict(list, {key: section.values for key, section in found.items()})
    one = defaultdict(str, {key: section.values[0] for key, section in found.items()})
    ties = [text.split(" = ") for text in every["ties"]]
    return Header(
        **{key: one[key] for key in ("title", "measure", "definition", "reference", "differs", "range", "mean")},
        parameters=parameters,
        columns=columns,
        inputs=_items(one["inputs"]),
        is_shared=bool(one["shared"]),
        is_quick=bool(one["quick"]),
        crosses_topics=bool(one["crosses"]),
        ties={choice: relation for choices, relation in ties for choice in _items(choices)},
        at=one["at"] or "k",
        in_scores=one["scores"] != "no",
        also_at=one["scores"].removeprefix("no").removeprefix("@"),
        less_is_better=bool(one["better"]),
        holes=one["holes"],
        aliases=[_read_alias(text) for text in _items(one["aliases"])],
        trec_eval=[_read_alias(text) for text in every["trec_eval"]],
        examples=every["example"],
    )


def _read_sections(path: Path, lines: Sequence[str], known: Sequence[str], faults: list[str]) -> dict[str, _Section]:
    """The lines by key; ``faults`` gets unknown and repeated keys, and values of another form."""
    found: dict[str, _Section] = {}
    key = ""
    for number, line in enumerate(map(str.rstrip, lines), start=1):
        if match := _KEY.fullmatch(line):
            key = match[1]
            if key not in known:
                faults.append(f'{path}:{number}: unknown key "{key}", expected one of {", ".join(known)}')
            elif key in found and key not in _REPEATED:
                faults.append(f'{path}:{number}: "{key}" stands twice')
            found.setdefault(key, _Section(number, [], [])).values.append(match[2].strip())
        elif key in _SECTIONS and (match := _ENTRY.fullmatch(line)):
            found[key].entries.append((number, match[1]))
        elif key in _SECTIONS and found[key].entries and (match := _CONTINUED.fullmatch(line)):
            start, text = found[key].entries[-1]
            found[key].entries[-1] = start, f"{text} {match[1]}"
        elif key and key not in _SECTIONS and (match := _CONTINUED.fullmatch(line)):
            found[key].values[-1] += f" {match[1]}"
        else:
            faults.append(f'{path}:{number}: expected "-- key: value" or an indented entry')
    for key in (key for key in found if key in _FORMS):
        (pattern, form), section = _FORMS[key], found[key]
        for text in _items(section.values[0]) if key in _LISTS else section.values:
            if not re.fullmatch(pattern, text) or (key == "range" and float(text.split()[0]) > float(text.split()[1])):
                faults.append(f"{path}:{section.line}: {key} is {text}, but must be {form}")
    return found


def _read_columns(path: Path, section: _Section, faults: list[str]) -> dict[str, str]:
    """The columns that the line names, which relations share, then those of the entries."""
    columns: dict[str, str] = {}
    known = _shared_columns(path.parent)
    for name in _items(section.values[0]):
        if name not in known:
            named = ", ".join(known)
            faults.append(f"{path}:{section.line}: column {name} is described nowhere; the line names {named}")
        columns[name] = known.get(name, "")
    for line, text in section.entries:
        name, _, meaning = text.partition(" ")
        if not meaning.strip() or not name.isidentifier():
            faults.append(f'{path}:{line}: expected "column   meaning", found "{text}"')
        columns[name] = meaning.strip()
    return columns


def _read_alias(text: str) -> Alias:
    match = _ALIAS.fullmatch(text)
    assert match
    name, parameters, presets, cutoffs = (match[key] or "" for key in ("name", "parameters", "presets", "cutoffs"))
    pairs = [pair.partition("=") for pair in _items(presets)]
    given = {name.strip(): value.strip().strip("'") for name, _, value in pairs}
    return Alias(name, _items(parameters), given, _items(cutoffs))


def _alias_faults(text: str, parameters: Sequence[Parameter]) -> list[str]:
    alias, known, faults = _read_alias(text), {each.name: each for each in parameters}, list[str]()
    for name in sorted({*alias.parameters, *alias.presets}):
        if name not in known:
            faults.append(f"{alias.name} names the parameter {name}, which the measure lacks")
            continue
        for value in alias.cutoffs if name in alias.parameters else [alias.presets[name]]:
            try:
                known[name].parse(value)
            except UsageError as error:
                faults.append(f"{alias.name}: {error}")
    return faults


GREATEST_INTEGER = 2**31 - 1
TIES, TIE_RULE = "ties", "rule"
_PARAMETER = re.compile(
    r"(?P<name>[a-z_]\w*) (?P<type>integer|double|varchar|boolean|any)(?P<nullable>\??)"
    r"(?: in (?P<domain>[\[({].*?[\])}]))? = (?P<default>\S+)\s{2,}(?P<meaning>\S.*)"
)
_NAMED_PARAMETER = re.compile(r"(?P<name>[a-z_]\w*)(?: in (?P<domain>\{.*?\}))?(?: = (?P<default>\S+))?")
_INTERVAL = re.compile(rf"(?P<open>[\[(])\s*(?P<low>{_END})\s*,\s*(?P<high>{_END})\s*(?P<close>[\])])")
_BETWEEN = re.compile(r",(?![^({]*[)}])")
# By SQL type what its values look like, what reads them (Python alone would take 1_0) and what they are called.
_TYPES: Mapping[str, tuple[str, Callable[[str], Value], str]] = {
    "integer": (r"[+-]?[0-9]{1,4000}", int, "a whole number"),  # Python reads no more digits
    "double": (r"(?i)[-+]?(?:inf|nan|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?)", float, "a number"),
    "boolean": (r"(?i)true|false", lambda text: text.lower() == "true", "true or false"),
    "varchar": (r"(?s).*", str, "text"),
    "any": ("null", str, "null"),
}


class Parameter(NamedTuple):
    """One parameter of a relation, with the values it takes; null is one of them where it is nullable."""

    name: str
    type: str
    nullable: bool
    domain: str | None
    default: Value
    meaning: str

    @property
    def choices(self) -> Sequence[str]:
        domain = self.domain or ""
        return [choice.strip() for choice in domain[1:-1].split(",")] if domain.startswith("{") else []

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest number of the range; infinity where it has no bound."""
        interval = _INTERVAL.fullmatch(self.domain or "")
        if interval is None or self.type not in ("integer", "double"):
            raise UsageError(f"{self.name}: {self.domain} is no domain of type {self.type}")
        low, high = float(interval["low"]), float(interval["high"])
        # An end that is not part of the range has its neighbour in the place of it.
        return (
            math.nextafter(low, high) if interval["open"] == "(" and math.isfinite(low) else low,
            math.nextafter(high, low) if interval["close"] == ")" and math.isfinite(high) else high,
        )

    @property
    def allowed(self) -> str:
        """In words the values that it takes."""
        if (interval := _INTERVAL.fullmatch(self.domain or "")) is None:
            return listed(self.choices, "or")
        below, above = {"[": "at least", "(": "above"}, {"]": "at most", ")": "below"}
        ends = ((below[interval["open"]], interval["low"]), (above[interval["close"]], interval["high"]))
        return " and ".join(f"{word} {end}" for word, end in ends if "inf" not in end)

    def parse(self, text: str) -> Value:
        """The value that ``text`` stands for; raises UsageError where it is of another type or out of range."""
        is_null = text.lower() in ("null", "none") and text not in self.choices
        if is_null and self.nullable:
            return None
        pattern, read, kind = _TYPES[self.type]
        if is_null or not re.fullmatch(pattern, text):
            raise UsageError(f"{self.name} is {text}, but must be {kind}")
        value = read(text)
        if isinstance(value, float) and not math.isfinite(value):
            raise UsageError(f"{self.name} is {text}, but must be finite")
        if self.type == "integer" and isinstance(value, int) and abs(value) > GREATEST_INTEGER:
            raise UsageError(f"{self.name} is {text}, but must be at most {GREATEST_INTEGER}")
        if self.domain and not self._allows(value):
            raise UsageError(f"{self.name} is {text}, but must be {self.allowed}")
        return value

    def _allows(self, value: Value) -> bool:
        if self.choices:
            return value in self.choices
        low, high = self.ends
        return isinstance(value, int | float) and low <= value <= high


def _read_parameters(path: Path, section: _Section, faults: list[str]) -> list[Parameter]:
    """The parameters in the order in which the line names them, or in that of the entries where it names none."""
    own: dict[str, Parameter | None] = {}  # None is one that is described, but wrongly
    for line, text in section.entries:
        try:
            read = _read_parameter(path, line, text)
            own[read.name] = read
        except CatalogError as error:
            faults.append(str(error))
            own[text.split()[0]] = None
    if not section.values[0]:
        return [parameter for parameter in own.values() if parameter]
    known: dict[str, Parameter | None] = {**_shared_parameters(path.parent), **own}
    found: dict[str, Parameter] = {}
    named = set()
    for text in _items(section.values[0]):
        try:
            name, parameter = _named_parameter(text, known)
            named.add(name)
            if parameter:
                found[name] = parameter
        except UsageError as error:
            faults.append(f"{path}:{section.line}: {error}")
    if unnamed := own.keys() - named:
        faults.append(f"{path}:{section.line}: the line of parameters does not name {', '.join(sorted(unnamed))}")
    return list(found.values())


def _named_parameter(text: str, known: Mapping[str, Parameter | None]) -> tuple[str, Parameter | None]:
    match = _NAMED_PARAMETER.fullmatch(text)
    if match is None:
        raise UsageError(f'expected "name [in domain] [= default]", found "{text}"')
    name, domain, default = match.groups()
    if name not in known:
        near = difflib.get_close_matches(name, known)
        hint = f"nearest: {', '.join(near)}" if near else f"there are: {', '.join(known)}"
        raise UsageError(f"parameter {name} is neither described below nor one that relations share; {hint}")
    if (parameter := known[name]) is None:
        return name, None
    given = parameter._replace(domain=domain or parameter.domain)
    return name, given._replace(default=given.parse(default)) if default else given


@cache
def _shared_parameters(folder: Path) -> Mapping[str, Parameter]:
    return {each.name: each for each in starmap(_read_parameter, _shared_entries(folder, "parameters.txt"))}


@cache
def _shared_columns(folder: Path) -> Mapping[str, str]:
    return dict(entry.split(maxsplit=1) for *_, entry in _shared_entries(folder, "columns.txt"))


@cache
def _shared_entries(folder: Path, name: str) -> Sequence[tuple[Path, int, str]]:
    """What relations in a folder may name: the entries of the file there, and before them of those above it."""
    is_below = SQL_ROOT in folder.parents
    above = _shared_entries(folder.parent, name) if is_below else ()
    path = (folder if is_below else SQL_ROOT) / name  # users' own relations go by those of the root
    blocks = path.read_text(encoding="utf-8").split("\n\n")[1:] if path.is_file() else ()
    return [*above, *((path, 1, re.sub(r"\n\s+", " ", block.strip().replace("\n", "  ", 1))) for block in blocks)]


@cache
def _read_parameter(path: Path, line: int, text: str) -> Parameter:
    match = _PARAMETER.fullmatch(text)
    if match is None:
        form = f'"name type [in domain] = default   meaning", type being {listed([*_TYPES], "or")}'
        raise CatalogError(f'{path}:{line}: expected {form}, found "{text}"')
    nullable = bool(match["nullable"]) or match["default"] == "null"
    parameter = Parameter(match["name"], match["type"], nullable, match["domain"], None, match["meaning"])
    try:
        return parameter._replace(default=parameter.parse(match["default"]))
    except UsageError as error:
        raise CatalogError(f"{path}:{line}: {error}") from error


def _items(text: str) -> list[str]:
    """Items between commas that stand outside parentheses and braces."""
    return [item.strip() for item in _BETWEEN.split(text) if item.strip()]
