"""The header of a relation file: comment lines ``-- key: value``, some keys with indented entries below."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from evalsql.errors import CatalogError, UsageError

Value = int | float | str | bool | None
GREATEST_INTEGER = 2**31 - 1

_REQUIRED_OF_MEASURES = ("measure", "title", "definition", "range", "mean")
_REPEATED = ("example", "trec_eval")
_OTHERS_OF_MEASURES = ("reference", "differs", "example", "aliases", "trec_eval", "at", "scores", "better")
_MEASURE_KEYS = (*_REQUIRED_OF_MEASURES, *_OTHERS_OF_MEASURES)
_HELPER_KEYS = ("title", "definition", "reference", "differs", "inputs", "shared")
_SECTIONS = ("parameters", "columns")
_MEANS = ("arithmetic", "weighted", "geometric", "sum")
_KEY = re.compile(r"-- (\w+):\s*(.*)")
_ENTRY = re.compile(r"--   (\S.*)")
_CONTINUED = re.compile(r"--\s{4,}(\S.*)")
_PARAMETER = re.compile(
    r"(?P<name>[a-z_]\w*) (?P<type>integer|double|varchar|boolean)(?P<nullable>\??)"
    r"(?: in (?P<domain>[\[({].*?[\])}]))? = (?P<default>\S+)\s{2,}(?P<meaning>\S.*)"
)
_ALIAS = re.compile(
    r"(?P<name>[^\s.(=]+)(?:\.(?P<parameters>\w+(?:,\w+)*))?(?:\((?P<presets>.*)\))?(?:\s*=\s*(?P<cutoffs>\S+))?"
)
_BETWEEN = re.compile(r",(?![^(]*\))")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_INTERVAL = re.compile(r"(?P<open>[\[(])\s*(?P<low>\S+),\s*(?P<high>\S+?)\s*(?P<close>[\])])")


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
    ``scores`` holds the measure; ``is_shared`` whether the step is kept while many measures are evaluated.
    """

    title: str
    parameters: Sequence[Parameter]
    columns: Mapping[str, str]
    inputs: Sequence[str]
    is_shared: bool
    measure: str
    at: str
    in_scores: bool
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
    is_measure = kind == "measures"
    values, entries = _read_lines(path, lines, _MEASURE_KEYS if is_measure else _HELPER_KEYS)
    needed = _REQUIRED_OF_MEASURES if is_measure else ("title",)
    for key in needed:
        if not values.get(key, [""])[0]:
            raise CatalogError(f'{path}:1: the header lacks "{key}"')
    if is_measure and values["mean"][0] not in _MEANS:
        raise CatalogError(f"{path}:1: mean is {values['mean'][0]}, it must be one of {', '.join(_MEANS)}")

    if is_measure and not _is_range(values["range"][0]):
        raise CatalogError(
            f"{path}:1: range is {values['range'][0]}, it must be two numbers, the least and the greatest"
        )
    for key, word in (("scores", "no"), ("shared", "yes"), ("better", "less")):
        if values.get(key, [word])[0] != word:
            raise CatalogError(f"{path}:1: {key} is {values[key][0]}, the only word for it is {word}")

    def one(key: str) -> str:
        return values.get(key, [""])[0]

    return Header(
        title=one("title"),
        parameters=[_read_parameter(path, number, text) for number, text in entries["parameters"]],
        columns=dict(_read_column(path, number, text) for number, text in entries["columns"]),
        inputs=_listed(one("inputs")),
        is_shared=bool(one("shared")),
        measure=one("measure"),
        at=one("at") or "k",
        in_scores=not one("scores"),
        less_is_better=bool(one("better")),
        aliases=[_read_alias(path, text) for text in _listed(one("aliases"))],
        trec_eval=[_read_alias(path, text) for text in values.get("trec_eval", [])],
        definition=one("definition"),
        reference=one("reference"),
        differs=one("differs"),
        range=one("range"),
        mean=one("mean"),
        examples=values.get("example", []),
    )


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
            _check_key(path, number, section, match[2], values, keys)
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


def _check_key(path: Path, line: int, key: str, value: str, seen: Mapping[str, object], keys: Sequence[str]) -> None:
    known = (*keys, *_SECTIONS)
    if key not in known:
        raise CatalogError(f'{path}:{line}: unknown key "{key}", expected one of {", ".join(known)}')
    if key in seen and key not in _REPEATED:
        raise CatalogError(f'{path}:{line}: "{key}" stands twice')
    if key in _SECTIONS and value:
        raise CatalogError(f'{path}:{line}: the entries of "{key}" go on lines of their own')


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


def _read_column(path: Path, line: int, text: str) -> tuple[str, str]:
    name, _, meaning = text.partition(" ")
    if not meaning.strip():
        raise CatalogError(f'{path}:{line}: expected "column   meaning", found "{text}"')
    return name, meaning.strip()


def _read_alias(path: Path, text: str) -> Alias:
    match = _ALIAS.fullmatch(text)
    if match is None:
        raise CatalogError(f'{path}:1: expected "name[.parameters][(parameter=value)] [= cutoffs]", found "{text}"')
    pairs = [pair.partition("=") for pair in _listed(match["presets"] or "")]
    return Alias(
        match["name"],
        _listed(match["parameters"] or ""),
        {name.strip(): value.strip().strip("'") for name, _, value in pairs},
        _listed(match["cutoffs"] or ""),
    )


def _listed(text: str) -> list[str]:
    """Items between commas that stand outside parentheses."""
    return [item.strip() for item in _BETWEEN.split(text) if item.strip()]
