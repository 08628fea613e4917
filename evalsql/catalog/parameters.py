"""Parameters of relations: their types, the values they take, and where several relations share a description."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from evalsql.catalog.folders import SQL_ROOT
from evalsql.errors import CatalogError, UsageError

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
