"""Names of measures: ``nDCG@10``, ``AP(rel=2)@100``, ``ndcg_cut.10``, ``P_5`` to relation and arguments and back."""

from __future__ import annotations

import ast
import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from evalsql.catalog import Catalog, Relation
from evalsql.errors import UsageError
from evalsql.header import Value

_NAME = re.compile(r"(?P<base>[^\s(@]+)\s*(?:\((?P<arguments>.*)\))?\s*(?:@\s*(?P<k>\S+))?")
_CUTOFFS = re.compile(r"(?P<base>.+?)[._](?P<cutoffs>\d+(?:,\d+)*)")
CUTOFF = "k"
GAINS = "gains"


@dataclass(frozen=True)
class Measure:
    """A measure with all its arguments, for instance nDCG at cutoff 10."""

    relation: Relation
    arguments: Mapping[str, Value]

    @property
    def name(self) -> str:
        """Canonical name: the cutoff wherever there is one, other arguments where they differ from the default."""
        header = self.relation.header
        given = [
            f"{parameter.name}={_shown(parameter.name, self.arguments[parameter.name])}"
            for parameter in header.parameters
            if self.arguments[parameter.name] != parameter.default
            and (parameter.name != CUTOFF or self.arguments[CUTOFF] is None)
        ]
        cutoff = self.arguments.get(CUTOFF)
        return header.measure + (f"({','.join(given)})" if given else "") + (f"@{cutoff}" if cutoff is not None else "")

    @property
    def call(self) -> str:
        """The macro call that gives its values, arguments at their defaults left out."""
        given = [
            f"{parameter.name} := {literal(self.arguments[parameter.name])}"
            for parameter in self.relation.parameters
            if self.arguments[parameter.name] != parameter.default
        ]
        return f"{self.relation.name}({', '.join(given)})"


def literal(value: Value) -> str:
    """``value`` as SQL text."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(value)


def quoted(name: str) -> str:
    """``name`` as a SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def default_measure(relation: Relation) -> Measure:
    return Measure(relation, {parameter.name: parameter.default for parameter in relation.parameters})


def parse_measures(texts: Iterable[str], catalog: Catalog) -> list[Measure]:
    """The measures that ``texts`` name, each text one or several separated by blanks.

    Raises:
        UsageError: names or arguments that do not fit, all of them at once, with the nearest names.
    """
    known = _known_names(catalog)
    measures: dict[str, Measure] = {}
    problems: list[str] = []
    for text in texts:
        for part in _split(text):
            try:
                measures.update({measure.name: measure for measure in _parse(part, known)})
            except UsageError as error:
                problems.append(str(error))
    if problems:
        raise UsageError("\n".join(problems))
    return list(measures.values())


def _split(text: str) -> Sequence[str]:
    """Split at blanks that stand outside parentheses; a text without names is one nameless part."""
    depth = 0
    marked = ""
    for char in text:
        depth += {"(": 1, ")": -1}.get(char, 0)
        marked += "\n" if char.isspace() and depth <= 0 else char
    return [part for part in marked.split("\n") if part] or [text]


def _known_names(catalog: Catalog) -> dict[str, Relation]:
    """Relation by lower-case name; a name that takes a cutoff as suffix ends in ".k"."""
    known: dict[str, Relation] = {}
    for relation in catalog.measures:
        for name in (relation.header.measure, relation.name, *relation.header.aliases):
            known[name.lower()] = relation
    return known


def _parse(text: str, known: Mapping[str, Relation]) -> list[Measure]:
    match = _NAME.fullmatch(text.strip())
    if match is None:
        raise UsageError(f'"{text}" is not a measure: expected Name(parameter=value)@cutoff')
    base = match["base"].lower()
    if base in known:
        arguments = _arguments(text, match["arguments"] or "")
        if match["k"]:
            if CUTOFF in arguments:
                raise UsageError(f'"{text}": the cutoff is given twice')
            arguments[CUTOFF] = match["k"]
        return [_measure(known[base], text, arguments)]
    cut = _CUTOFFS.fullmatch(base)
    if cut and f"{cut['base']}.k" in known and not match["arguments"] and not match["k"]:
        relation = known[f"{cut['base']}.k"]
        return [_measure(relation, text, {CUTOFF: k}) for k in cut["cutoffs"].split(",")]
    raise UsageError(_unknown(text, base, known))


def _arguments(text: str, inside: str) -> dict[str, str]:
    """Keyword arguments between the parentheses, as text."""
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(f'"{text}": cannot read the arguments "{inside}"') from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise UsageError(f'"{text}": arguments are given as parameter=value')
    arguments: dict[str, str] = {}
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg in arguments:
            raise UsageError(f'"{text}": each parameter is given once, as parameter=value')
        arguments[keyword.arg] = _argument(text, keyword)
    return arguments


def _argument(text: str, keyword: ast.keyword) -> str:
    """The value as text; a dict of gains as it is written in SQL."""
    if isinstance(keyword.value, ast.Dict):
        pairs = zip(keyword.value.keys, keyword.value.values, strict=True)
        return ",".join(f"{ast.unparse(key) if key else '**'}={ast.unparse(gain)}" for key, gain in pairs)
    try:
        return str(ast.literal_eval(keyword.value))
    except (ValueError, TypeError, RecursionError):
        return ast.unparse(keyword.value)


def _measure(relation: Relation, text: str, given: Mapping[str, str]) -> Measure:
    parameters = {parameter.name: parameter for parameter in relation.parameters}
    if unknown := sorted(given.keys() - parameters.keys()):
        takes = ", ".join(parameters) or "no parameters"
        raise UsageError(f'"{text}": {relation.header.measure} has no parameter {", ".join(unknown)}; it takes {takes}')
    try:
        arguments = {
            name: parameter.parse(given[name]) if name in given else parameter.default
            for name, parameter in parameters.items()
        }
        if isinstance(arguments.get(GAINS), str):
            arguments[GAINS] = _canonical_gains(str(arguments[GAINS]))
    except UsageError as error:
        raise UsageError(f'"{text}": {error}') from None
    return Measure(relation, arguments)


def _canonical_gains(text: str) -> str:
    """Pairs of grade and gain in the one form that grade_gains.sql finds: 1=0.5,2=1."""
    gains: dict[int, float] = {}
    for entry in text.split(","):
        grade, _, gain = entry.partition("=")
        try:
            key, value = int(grade), float(gain)
        except ValueError:
            raise UsageError(f'gains are grade=gain pairs such as "1=0.5,2=1", found "{entry}"') from None
        if key in gains or not math.isfinite(value):
            raise UsageError(f'gains: "{entry}" repeats a grade or is not finite')
        gains[key] = value
    return ",".join(f"{grade}={gain!r}".removesuffix(".0") for grade, gain in gains.items())


def _shown(name: str, value: Value) -> str:
    if name == GAINS and isinstance(value, str):
        return "{" + value.replace(" ", "").replace("=", ":") + "}"
    return f"'{value}'" if isinstance(value, str) else literal(value)


def _unknown(text: str, base: str, known: Mapping[str, Relation]) -> str:
    near = difflib.get_close_matches(base, known, n=3, cutoff=0.5)
    names = dict.fromkeys(known[name].header.measure for name in near)
    hint = f"; nearest: {', '.join(names)}" if names else "; evalsql measures lists them"
    return f'unknown measure "{text}"{hint}'
