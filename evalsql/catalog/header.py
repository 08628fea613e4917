"""The header of a relation file: comment lines ``-- key: value``, some keys with indented entries below.

Parameters that several relations take are described once, in a file ``parameters.txt`` of the folder or of one above
it; headers name them.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from evalsql.catalog import SQL_ROOT
from evalsql.errors import CatalogError, UsageError

# The columns that every measure gives first, in this order.
CONTRACT: Mapping[str, str] = {
    "qrels": "judgment set",
    "run": "run",
    "topic": "topic",
    "value": "value of the measure",
}

_REQUIRED_OF_MEASURES = ("measure", "title", "definition", "range", "mean")
_REPEATED = ("example", "trec_eval", "ties")
_CUTOFF = re.compile(r"@(\d+)")
_OTHERS_OF_MEASURES = ("reference", "differs", "example", "aliases", "trec_eval", "at", "scores", "better", "ties")
_MEASURE_KEYS = (*_REQUIRED_OF_MEASURES, *_OTHERS_OF_MEASURES)
_HELPER_KEYS = ("title", "definition", "reference", "differs", "inputs", "shared", "quick", "ties")
_SECTIONS = ("parameters", "columns")
_ONLY_WORDS = {"scores": "no", "shared": "yes", "quick": "yes", "better": "less"}
_MEANS = ("arithmetic", "weighted", "geometric", "sum")
_KEY = re.compile(r"-- (\w+):\s*(.*)")
_ENTRY = re.compile(r"--   (\S.*)")
_CONTINUED = re.compile(r"--\s{4,}(\S.*)")
_TIES = re.compile(r"(?P<choices>\w+(?:, \w+)*) = (?P<relation>\w+)")
_ALIAS = re.compile(
    r"(?P<name>[^\s.(=]+)(?:\.(?P<parameters>\w+(?:,\w+)*))?(?:\((?P<presets>.*)\))?(?:\s*=\s*(?P<cutoffs>\S+))?"
)


class Alias(NamedTuple):
    """Another name of a measure, with the arguments it implies.

    trec_eval's names take values after a dot: of ``parameters``, in their order, or where there are ``cutoffs`` (its
    default ones) a list of which each gives a measure of its own.
    """

    name: str
    parameters: Sequence[str] = ()
    presets: Mapping[str, str] = {}
    cutoffs: Sequence[str] = ()


class Header(NamedTuple):
    """What the header says. Keys that a kind of relation does not have are empty.

    ``at`` is the parameter whose value stands behind @ in the measure's name; ``in_scores`` tells whether the view
    ``scores`` holds the measure, ``also_at`` at which cutoff beside its default; ``is_shared`` whether the step is kept
    while many measures are evaluated; ``is_quick`` whether an audit takes no time that one notices; ``ties`` which
    relation gives the rows under an order of tied documents that takes a formula of its own.
    """

    title: str
    parameters: Sequence[Parameter]
    columns: Mapping[str, str]
    inputs: Sequence[str]
    is_shared: bool
    is_quick: bool
    ties: Mapping[str, str]
    measure: str
    at: str
    in_scores: bool
    also_at: str
    less_is_better: bool
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
        """The least and the greatest value that the measure can have."""
        low, high = map(float, self.range.split())
        return low, high


def read_header(path: Path, lines: Sequence[str], *, kind: str) -> Header:
    """Parse the comment lines that head ``path``; raises CatalogError with file and line."""
    values, entries = _read_lines(path, lines, _MEASURE_KEYS if kind == "measures" else _HELPER_KEYS)
    _check_values(path, values, is_measure=kind == "measures")
    also_at = _CUTOFF.fullmatch(values.get("scores", [""])[0])

    def one(key: str) -> str:
        return values.get(key, [""])[0]

    return Header(
        title=one("title"),
        parameters=read_parameters(path, _line_of("parameters", lines), one("parameters"), entries["parameters"]),
        columns=_read_columns(path, _line_of("columns", lines), one("columns"), entries["columns"]),
        inputs=_read_inputs(path, one("inputs")),
        is_shared=bool(one("shared")),
        is_quick=bool(one("quick")),
        ties=dict(pair for text in values.get("ties", []) for pair in _read_ties(path, text)),
        measure=one("measure"),
        at=one("at") or "k",
        in_scores=one("scores") != "no",
        also_at=also_at[1] if also_at else "",
        less_is_better=bool(one("better")),
        aliases=[_read_alias(path, text) for text in comma_list(one("aliases"))],
        trec_eval=[_read_alias(path, text) for text in values.get("trec_eval", [])],
        definition=one("definition"),
        reference=one("reference"),
        differs=one("differs"),
        range=one("range"),
        mean=one("mean"),
        examples=values.get("example", []),
    )


def _check_values(path: Path, values: Mapping[str, Sequence[str]], *, is_measure: bool) -> None:
    """Raise CatalogError for a key that is missing or has a value that it cannot have."""
    for key in _REQUIRED_OF_MEASURES if is_measure else ("title",):
        if not values.get(key, [""])[0]:
            raise CatalogError(f'{path}:1: the header lacks "{key}"')
    if is_measure and values["mean"][0] not in _MEANS:
        raise CatalogError(f"{path}:1: mean is {values['mean'][0]}, it must be one of {', '.join(_MEANS)}")
    if is_measure and not _is_range(values["range"][0]):
        raise CatalogError(
            f"{path}:1: range is {values['range'][0]}, it must be two numbers, the least and the greatest"
        )
    for key, word in _ONLY_WORDS.items():
        value = values.get(key, [word])[0]
        if value != word and not (key == "scores" and _CUTOFF.fullmatch(value)):
            others = " or a cutoff such as @10" if key == "scores" else ""
            raise CatalogError(f"{path}:1: {key} is {value}, it must be {word}{others}")


def _line_of(key: str, lines: Sequence[str]) -> int:
    return next((number for number, line in enumerate(lines, start=1) if line.startswith(f"-- {key}:")), 1)


def _is_range(text: str) -> bool:
    try:
        low, high = map(float, text.split())
    except ValueError:
        return False
    return low <= high


def _read_lines(
    path: Path, lines: Sequence[str], keys: Sequence[str]
) -> tuple[dict[str, list[str]], dict[str, list[tuple[int, str]]]]:
    values: dict[str, list[str]] = {}
    entries: dict[str, list[tuple[int, str]]] = {section: [] for section in _SECTIONS}
    section = ""
    for number, line in enumerate(lines, start=1):
        if match := _KEY.fullmatch(line.rstrip()):
            section = match[1]
            _check_key(path, number, section, values, keys)
            values.setdefault(section, []).append(match[2].strip())
        elif (match := _ENTRY.fullmatch(line.rstrip())) and section in entries:
            entries[section].append((number, match[1]))
        elif (match := _CONTINUED.fullmatch(line.rstrip())) and entries.get(section):
            start, text = entries[section][-1]
            entries[section][-1] = start, f"{text} {match[1]}"
        elif match and section in values and section not in entries:
            values[section][-1] += f" {match[1]}"
        else:
            raise CatalogError(f'{path}:{number}: expected "-- key: value" or an indented entry')
    return values, entries


def _check_key(path: Path, line: int, key: str, seen: Mapping[str, object], keys: Sequence[str]) -> None:
    known = (*keys, *_SECTIONS)
    if key not in known:
        raise CatalogError(f'{path}:{line}: unknown key "{key}", expected one of {", ".join(known)}')
    if key in seen and key not in _REPEATED:
        raise CatalogError(f'{path}:{line}: "{key}" stands twice')


def _read_ties(path: Path, text: str) -> list[tuple[str, str]]:
    match = _TIES.fullmatch(text)
    if match is None:
        raise CatalogError(f'{path}:1: ties: expected "order, ... = relation", found "{text}"')
    return [(choice, match["relation"]) for choice in comma_list(match["choices"])]


def _read_inputs(path: Path, text: str) -> list[str]:
    names = comma_list(text)
    if wrong := [name for name in names if not name.isidentifier()]:
        raise CatalogError(f'{path}:1: inputs: expected names of relations, found "{wrong[0]}"')
    return names


def _read_columns(path: Path, line: int, names: str, entries: Sequence[tuple[int, str]]) -> dict[str, str]:
    """The columns that the line names, which measures have and which are described once, then those of the entries."""
    if unknown := [name for name in comma_list(names) if name not in CONTRACT]:
        raise CatalogError(
            f"{path}:{line}: column {unknown[0]} is described nowhere; the line names {', '.join(CONTRACT)}"
        )
    shared = {name: CONTRACT[name] for name in comma_list(names)}
    return shared | dict(_read_column(path, *entry) for entry in entries)


def _read_column(path: Path, line: int, text: str) -> tuple[str, str]:
    name, _, meaning = text.partition(" ")
    if not meaning.strip() or not name.isidentifier():
        raise CatalogError(f'{path}:{line}: expected "column   meaning", found "{text}"')
    return name, meaning.strip()


def _read_alias(path: Path, text: str) -> Alias:
    match = _ALIAS.fullmatch(text)
    if match is None:
        raise CatalogError(f'{path}:1: expected "name[.parameters][(parameter=value)] [= cutoffs]", found "{text}"')
    pairs = [pair.partition("=") for pair in comma_list(match["presets"] or "")]
    return Alias(
        match["name"],
        comma_list(match["parameters"] or ""),
        {name.strip(): value.strip().strip("'") for name, _, value in pairs},
        comma_list(match["cutoffs"] or ""),
    )


Value = int | float | str | bool | None
GREATEST_INTEGER = 2**31 - 1
TIES, TIE_RULE = "ties", "rule"
SHARED_PARAMETERS = "parameters.txt"
_PARAMETER = re.compile(
    r"(?P<name>[a-z_]\w*) (?P<type>integer|double|varchar|boolean)(?P<nullable>\??)"
    r"(?: in (?P<domain>[\[({].*?[\])}]))? = (?P<default>\S+)\s{2,}(?P<meaning>\S.*)"
)
_NAMED_PARAMETER = re.compile(r"(?P<name>[a-z_]\w*)(?: in (?P<domain>\{.*?\}))?(?: = (?P<default>\S+))?")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_END = r"[-+]?(?:inf|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)"
_INTERVAL = re.compile(rf"(?P<open>[\[(])\s*(?P<low>{_END})\s*,\s*(?P<high>{_END})\s*(?P<close>[\])])")
_BETWEEN = re.compile(r",(?![^({]*[)}])")


class Parameter(NamedTuple):
    """One parameter of a relation: its SQL type, the values it takes, its default and its meaning.

    Null is a value it takes where the type ends in a question mark or the default is null.
    """

    name: str
    type: str
    nullable: bool
    domain: str | None
    default: Value
    meaning: str

    @property
    def choices(self) -> Sequence[str]:
        """The words it may be, where the domain lists them."""
        domain = self.domain or ""
        return [choice.strip() for choice in domain[1:-1].split(",")] if domain.startswith("{") else []

    def parse(self, text: str) -> Value:
        """The value that ``text`` stands for; raises UsageError where it is of another type or out of range."""
        value = self._typed(text)
        if value is None and not self.nullable:
            raise UsageError(f"{self.name} is {text}, it needs a value of type {self.type}")
        if value is not None and self.domain and not self._allows(value):
            raise UsageError(f"{self.name} is {text}, it must be in {self.domain}")
        return value

    def _typed(self, text: str) -> Value:
        if text.lower() in ("null", "none") and text not in self.choices:
            return None
        try:
            if self.type == "integer":
                if not _INTEGER.fullmatch(text):
                    raise ValueError(text)
                if abs(int(text)) > GREATEST_INTEGER:
                    raise UsageError(f"{self.name} is {text}, it must be at most {GREATEST_INTEGER}")
                return int(text)
            if self.type == "double":
                if not math.isfinite(float(text)):
                    raise UsageError(f"{self.name} is {text}, it must be finite")
                return float(text)
            if self.type == "boolean":
                return {"true": True, "false": False}[text.lower()]
        except (ValueError, KeyError):
            raise UsageError(f"{self.name} is {text}, it must be of type {self.type}") from None
        return text

    def _allows(self, value: int | float | str) -> bool:
        domain = self.domain or ""
        if domain.startswith("{"):
            return value in self.choices
        interval = _INTERVAL.fullmatch(domain)
        if interval is None or isinstance(value, str):
            raise UsageError(f"{self.name}: {self.domain} is no domain of type {self.type}")
        low, high = float(interval["low"]), float(interval["high"])
        above = value >= low if interval["open"] == "[" else value > low
        below = value <= high if interval["close"] == "]" else value < high
        return above and below


def read_parameters(path: Path, line: int, names: str, entries: Sequence[tuple[int, str]]) -> list[Parameter]:
    """The parameters in the order in which the line names them, or in that of the entries where it names none."""
    own = {parameter.name: parameter for parameter in (_read_parameter(path, *entry) for entry in entries)}
    if not names:
        return list(own.values())
    try:
        found = [_named_parameter(text, own, shared_parameters(path.parent)) for text in comma_list(names)]
    except UsageError as error:
        raise CatalogError(f"{path}:{line}: {error}") from error
    if unnamed := own.keys() - {parameter.name for parameter in found}:
        raise CatalogError(f"{path}:{line}: the line of parameters does not name {', '.join(sorted(unnamed))}")
    return found


def _named_parameter(text: str, own: Mapping[str, Parameter], shared: Mapping[str, Parameter]) -> Parameter:
    match = _NAMED_PARAMETER.fullmatch(text)
    if match is None:
        raise UsageError(f'expected "name [in domain] [= default]", found "{text}"')
    known = {**shared, **own}
    if match["name"] not in known:
        near = difflib.get_close_matches(match["name"], known)
        hint = f"nearest: {', '.join(near)}" if near else f"shared ones are: {', '.join(shared)}"
        raise UsageError(f"parameter {match['name']} is neither described below nor one that relations share; {hint}")
    parameter = known[match["name"]]
    if match["domain"] is not None:
        parameter = parameter._replace(domain=match["domain"])
    if match["default"] is None:
        return parameter
    return parameter._replace(default=parameter.parse(match["default"]))


@cache
def shared_parameters(folder: Path) -> Mapping[str, Parameter]:
    """The parameters that relations in a folder may name: those of its own file and of the folders above it.

    A header may narrow the words that one takes, and give it another default.
    """
    if folder != SQL_ROOT and SQL_ROOT not in folder.parents:
        folder = SQL_ROOT  # a user's own relations
    above = shared_parameters(folder.parent) if folder != SQL_ROOT else {}
    path = folder / SHARED_PARAMETERS
    if not path.is_file():
        return above
    blocks = path.read_text(encoding="utf-8").split("\n\n")[1:]
    entries = [re.sub(r"\n\s+", " ", block.strip().replace("\n", "  ", 1)) for block in blocks]
    return {**above, **{each.name: each for each in (_read_parameter(path, 1, entry) for entry in entries)}}


def _read_parameter(path: Path, line: int, text: str) -> Parameter:
    match = _PARAMETER.fullmatch(text)
    if match is None:
        raise CatalogError(f'{path}:{line}: expected "name type [in domain] = default   meaning", found "{text}"')
    nullable = bool(match["nullable"]) or match["default"] == "null"
    name, kind, domain, meaning = match["name"], match["type"], match["domain"], match["meaning"]
    try:
        default = Parameter(name, kind, nullable, domain, None, meaning).parse(match["default"])
        return Parameter(name, kind, nullable, domain, default, meaning)
    except UsageError as error:
        raise CatalogError(f"{path}:{line}: {error}") from error


def comma_list(text: str) -> list[str]:
    """Items between commas that stand outside parentheses and braces."""
    return [item.strip() for item in _BETWEEN.split(text) if item.strip()]
