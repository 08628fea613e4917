"""Names of measures: ``nDCG@10``, ``AP(rel=2)@100``, ``ndcg_cut.10``, ``P_5`` to relation and arguments and back.

Two grammars are read, ir_measures' and trec_eval's; the canonical name is in the first.
"""

import ast
import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evalsql.catalog.header import TIE_RULE, TIES, Alias
from evalsql.catalog.relations import NEW_IN_10, NUM_TOPICS, RELEVANCE_STRING, RUN_ID, TREC_GROUPS, Catalog, Relation
from evalsql.errors import UsageError
from evalsql.literals import Value, literal

_NAME = re.compile(
    r"(?P<base>[^\s(@]+)\s*(?:\((?P<arguments>[^@]*)\))?\s*(?:@\s*(?P<at>[^\s(]+)\s*(?:\((?P<more>.*)\))?)?"
)
_TREC_VALUE = re.compile(r"[-+]?[\d.]+(?:e[-+]?\d+)?(?![^\s,])|[^\s,(]+=|\*", re.IGNORECASE)
# ranx's map@100-l2 and rbp.95 in ir_measures' grammar.
_OF_RANX = (
    (re.compile(r"([^\s()@]+)(@[^\s()]*)?-l(\d+)"), r"\1(rel=\3)\2"),
    (re.compile(r"rbp\.(\d+)(?:\((.*)\))?", re.IGNORECASE), r"rbp(p=0.\1,\2)"),
)
_NUMBERED = re.compile(r"(?P<base>.+?)[-_.@]?(?P<at>\d+)")
# What is shown where no measure is named: of runs, and of differences between runs.
DEFAULT_MEASURES = ("nDCG@10", "AP", "P@10", "R@100", "RR", "Judged@10")
COMPARED_MEASURES = DEFAULT_MEASURES[:2]
ANSWER_MEASURES = ("VitalScore", "StrictVitalScore", "AllScore")  # the default ones of nuggets
CUTOFF = "k"
GAINS = "gains"
POINTS = "points"
OTHERS = "*"
# ir_measures takes the letter too; headers keep to ASCII, which every terminal prints.
ALPHA = "\u03b1"


class Measure(NamedTuple):
    """A measure with all its arguments, for instance nDCG at cutoff 10."""

    relation: Relation
    arguments: Mapping[str, Value]

    @property
    def name(self) -> str:
        """Canonical name: the cutoff wherever there is one, other arguments where they differ from the default."""
        header = self.relation.header
        cutoff = self.arguments.get(header.at)
        given = [f"{name}={_shown(name, value)}" for name, value in self._given if name != header.at or cutoff is None]
        return header.measure + (f"({','.join(given)})" if given else "") + (f"@{cutoff}" if cutoff is not None else "")

    @property
    def is_count(self) -> bool:
        """Whether its values are whole numbers; what is expected of a count need not be."""
        return self.relation.header.mean == "sum" and self.arguments.get(TIES) != "expected"

    @property
    def call(self) -> str:
        """The macro call that gives its values, arguments at their defaults left out."""
        given = [f"{name} := {literal(value)}" for name, value in self._given]
        return f"{self.relation.name}({', '.join(given)})"

    @property
    def _given(self) -> list[tuple[str, Value]]:
        """Arguments that are not their defaults, in the order of the parameters."""
        defaults = {each.name: each.default for each in self.relation.parameters}
        return [(name, self.arguments[name]) for name in defaults if self.arguments[name] != defaults[name]]


def names_of_counts(measures: Iterable[Measure]) -> frozenset[str]:
    return frozenset(measure.name for measure in measures if measure.is_count)


def names_of_less_is_better(measures: Iterable[Measure]) -> frozenset[str]:
    return frozenset(measure.name for measure in measures if measure.relation.header.less_is_better)


def tie_variants(measure: Measure) -> dict[str, Measure]:
    """The measure under each order of tied documents that it knows beside the tie rule's: worst, best, expected."""
    choices = next((parameter.choices for parameter in measure.relation.parameters if parameter.name == TIES), [])
    return {
        choice: Measure(measure.relation, {**measure.arguments, TIES: choice})
        for choice in choices
        if measure.arguments[TIES] == TIE_RULE != choice
    }


def default_measure(relation: Relation) -> Measure:
    return Measure(relation, {parameter.name: parameter.default for parameter in relation.parameters})


def with_arguments(catalog: Catalog, name: str, /, **arguments: Value) -> Measure:
    """A relation with those of the arguments that it takes, and its defaults for the others."""
    relation = catalog[name]
    return Measure(relation, {each.name: arguments.get(each.name, each.default) for each in relation.parameters})


def parse_measures(texts: Iterable[str], catalog: Catalog) -> list[Measure]:
    """The measures that texts name, separated by blanks or commas; raises UsageError with all that does not fit."""
    measures: dict[str, Measure] = {}
    problems: list[str] = []
    known: dict[str, Named] = {}  # by names in lower case, those of trec_eval apart
    for relation in catalog.measures:
        names = (Alias(relation.header.measure), Alias(relation.name), *relation.header.aliases)
        known |= {alias.name.lower(): Named(relation, alias) for alias in names}
    trec = {name.lower(): named for name, named in trec_names(catalog).items()}
    for text in texts:
        for part in split_names(text):
            try:
                measures.update({measure.name: measure for measure in _parse(part, known, trec)})
            except UsageError as error:
                problems.append(str(error))
    if problems:
        raise UsageError("\n".join(problems))
    return list(measures.values())


def is_measure(text: str, catalog: Catalog) -> bool:
    try:
        return bool(parse_measures([text], catalog))
    except UsageError:
        return False


def split_names(text: str) -> Sequence[str]:
    """Split at blanks and commas that stand outside parentheses; a text without names is one nameless part.

    A comma before a number or a pair such as 1=0.5 is trec_eval's, between the values of one name: P.5,10.
    """
    depth, marked = 0, ""
    for at, char in enumerate(text):
        depth += {"(": 1, ")": -1}.get(char, 0)
        separates = char.isspace() or (char == "," and not _TREC_VALUE.match(text, at + 1))
        marked += "\n" if separates and depth <= 0 else char
    return [part for part in marked.split("\n") if part] or [text]


class Named(NamedTuple):
    relation: Relation
    alias: Alias


def trec_names(catalog: Catalog) -> dict[str, Named]:
    return {alias.name: Named(relation, alias) for relation in catalog.measures for alias in relation.header.trec_eval}


def trec_measures(text: str, named: Named, values: str | None) -> list[tuple[str, Measure]]:
    """The measures of one trec_eval name with the values behind its dot, each with the name trec_eval prints."""
    relation, alias = named
    if values is not None and not alias.parameters:
        raise UsageError(f'"{text}": {alias.name} takes no values')
    if alias.cutoffs:
        (parameter,) = alias.parameters
        cutoffs = _ascending(text, values.split(",") if values else alias.cutoffs, whole=parameter == CUTOFF)
        shown = [cutoff if parameter == CUTOFF else f"{float(cutoff):3.2f}" for cutoff in cutoffs]
        measures = [_measure(relation, text, {**alias.presets, parameter: cutoff}) for cutoff in cutoffs]
        return [(f"{alias.name}_{suffix}", measure) for suffix, measure in zip(shown, measures, strict=True)]
    given = _positional(text, alias, values) if values else {}
    return [(f"{alias.name}_{values}" if values else alias.name, _measure(relation, text, {**alias.presets, **given}))]


def _ascending(text: str, cutoffs: Sequence[str], *, whole: bool) -> list[str]:
    """Cutoffs in ascending order; whole ones are read as trec_eval reads them, up to the point: 23.4 is 23."""
    try:
        if whole:
            cutoffs = [str(int(re.sub(r"(?<=\d)\.\d*$", "", cutoff))) for cutoff in cutoffs]
        numbers = {float(cutoff): cutoff for cutoff in cutoffs}
    except ValueError:
        raise UsageError(f'"{text}": cutoffs are numbers separated by commas') from None
    if len(numbers) < len(cutoffs):
        raise UsageError(f'"{text}": a cutoff is given twice')
    return [numbers[number] for number in sorted(numbers)]


def _positional(text: str, alias: Alias, values: str) -> dict[str, str]:
    """Values for the alias's parameters: in their order, or as pairs; a pair without a parameter's name is a gain."""
    parts = values.split(",")
    if "=" not in values:
        if alias.parameters[-1] == POINTS:
            return {POINTS: values}
        if len(parts) != len(alias.parameters):
            takes = f"{len(alias.parameters)} values: {', '.join(alias.parameters)}"
            raise UsageError(f'"{text}": {alias.name} takes {takes}')
        return dict(zip(alias.parameters, parts, strict=True))
    pairs = [part.partition("=") for part in parts]
    given = {name: value for name, _, value in pairs if name in alias.parameters and name != GAINS}
    gains = [f"{name}={value}" for name, _, value in pairs if name not in given]
    if gains and GAINS not in alias.parameters:
        raise UsageError(f'"{text}": {alias.name} takes {", ".join(alias.parameters)}')
    if any(gain.lstrip().startswith("-") for gain in gains):
        raise UsageError(f'"{text}": a grade below 0 has no gain; to trec_eval -1 is a document that is not judged')
    return {**given, GAINS: ",".join([*gains, OTHERS])} if gains else given


def _parse(text: str, known: Mapping[str, Named], trec: Mapping[str, Named]) -> list[Measure]:
    written = text.strip()
    for pattern, form in _OF_RANX:
        if match := pattern.fullmatch(written):
            written = match.expand(form)
    match = _NAME.fullmatch(written)
    if match is None:
        raise UsageError(f'"{text}" is not a measure: expected Name(parameter=value)@cutoff')
    base = match["base"].lower().replace(ALPHA, "alpha")
    inside = ",".join(part for part in (match["arguments"], match["more"]) if part and part.strip())
    named = known.get(base)
    if named is None and (match["at"] or inside) and base in trec:  # what only trec_eval has: recall@10
        relation, alias = trec[base]
        named = trec[base] if alias.cutoffs and alias.parameters == [relation.header.at] else None
    if named is not None:
        relation, alias = named
        arguments = {**alias.presets, **_arguments(text, relation, inside)}
        at = relation.header.at
        if match["at"] and at in arguments:
            raise UsageError(f'"{text}": {at} is given twice')
        return [_measure(relation, text, {**arguments, at: match["at"]} if match["at"] else arguments)]
    if match["arguments"] is None and match["at"] is None and (found := _in_trec_grammar(text.strip(), trec)):
        return found
    if cut := _NUMBERED.fullmatch(text.strip().lower()):  # ndcg10, TAP-5 or recip_rank@10
        named = known.get(cut["base"]) or trec.get(cut["base"])
        if named and named[0].header.at in (each.name for each in named[0].parameters):
            name = f"{named[0].header.measure}@{cut['at']}"
            raise UsageError(f'unknown measure "{text.strip()}"; with a cutoff it is {name}')
    shown = {name: named.alias.name for name, named in trec.items()} | {name.lower(): name for name in TREC_GROUPS}
    shown |= {name: relation.header.measure for name, (relation, _) in known.items()}
    raise UsageError(unknown_measure(text, shown, base))


def _in_trec_grammar(text: str, names: Mapping[str, Named]) -> list[Measure]:
    """The measures of a name such as P.5,10, P_5, map_cut or all_trec; none if it is no such name."""
    base, dot, values = text.lower().partition(".")
    if base in TREC_GROUPS and not dot:
        facts = (RUN_ID, NUM_TOPICS, RELEVANCE_STRING, *NEW_IN_10)
        wanted = [name.lower() for name in TREC_GROUPS[base] if name not in facts]
        return [measure for name in wanted for _, measure in trec_measures(text, names[name], None)]
    if base not in names:
        # As printed: P_5, utility_1,-1,0,0 and rbp_p=0.8 have values behind the last underscore but those in the name.
        starts = [name for name in names if re.match(rf"{re.escape(name)}_(-?[.\d]|\w+=)", text, re.IGNORECASE)]
        base = max(starts, key=len, default="")
        dot, values = "_", text[len(base) + 1 :]
    if base not in names:
        return []
    return [measure for _, measure in trec_measures(text, names[base], values if dot else None)]


def _arguments(text: str, relation: Relation, inside: str) -> dict[str, str]:
    """Keyword arguments between the parentheses; ir_measures writes T, and cutoff for what stands behind @."""
    try:
        call = ast.parse(f"f({inside})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(f'"{text}": cannot read the arguments "{inside}"') from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise UsageError(f'"{text}": arguments are given as parameter=value')
    names = {parameter.name for parameter in relation.parameters}
    arguments: dict[str, str] = {}
    for keyword in call.keywords:
        written = keyword.arg or "**"
        name = relation.header.at if written == "cutoff" else written
        name = name.lower() if name.lower() in names else written
        if name in arguments:
            raise UsageError(f'"{text}": {name} is given twice')
        if isinstance(keyword.value, ast.Dict):  # of gains, which SQL has as 1=0.5,2=1
            pairs = zip(keyword.value.keys, keyword.value.values, strict=True)
            gains = (f"{ast.unparse(key) if key else '**'}={ast.unparse(gain)}" for key, gain in pairs)
            arguments[name] = ",".join(gains)
            continue
        try:
            arguments[name] = str(ast.literal_eval(keyword.value))
        except (ValueError, TypeError, RecursionError):
            arguments[name] = ast.unparse(keyword.value)
    return arguments


def _measure(relation: Relation, text: str, given: Mapping[str, str]) -> Measure:
    parameters = {parameter.name: parameter for parameter in relation.parameters}
    if unknown := sorted(given.keys() - parameters.keys()):
        takes = ", ".join(parameters) or "no parameters"
        raise UsageError(f'"{text}": {relation.header.measure} has no parameter {", ".join(unknown)}; it takes {takes}')
    try:
        arguments = {name: each.default for name, each in parameters.items()}
        arguments |= {name: parameters[name].parse(value) for name, value in given.items()}
        if isinstance(arguments.get(GAINS), str):
            arguments[GAINS] = _canonical_gains(str(arguments[GAINS]))
        for point in str(arguments[POINTS]).split(",") if POINTS in arguments else ():
            if not re.fullmatch(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", point.strip(), re.IGNORECASE):
                raise UsageError(f'points are levels of recall such as "0,0.5,1", found "{point}"')
    except UsageError as error:
        raise UsageError(f'"{text}": {error}') from None
    return Measure(relation, arguments)


def _canonical_gains(text: str) -> str:
    """Pairs of grade and gain in the one form that grade_gains.sql finds: 1=0.5,2=1."""
    gains: dict[int, str] = {}
    others: list[str] = []
    for entry in text.split(","):
        grade, _, gain = entry.partition("=")
        if entry == OTHERS:
            others = [OTHERS]
            continue
        try:
            key, value = int(grade), float(gain)
        except ValueError:
            cutoff = f"; a cutoff is written @{entry}" if entry.isdecimal() else ""
            raise UsageError(f'gains are grade=gain pairs such as "1=0.5,2=1", found "{entry}"{cutoff}') from None
        if key in gains or not math.isfinite(value):
            raise UsageError(f'gains: "{entry}" repeats a grade or is not finite')
        gains[key] = f"{key}={value!r}".removesuffix(".0")
    return ",".join([*gains.values(), *others])


def _shown(name: str, value: Value) -> str:
    if name == GAINS and isinstance(value, str) and OTHERS not in value:
        return "{" + value.replace(" ", "").replace("=", ":") + "}"
    return f"'{value}'" if isinstance(value, str) else literal(value)


def unknown_measure(text: str, known: Mapping[str, str], base: str | None = None) -> str:
    """The message for an unknown name, with the names nearest to it; ``known`` maps lower-case to proper names."""
    near = difflib.get_close_matches(text if base is None else base, known, n=3, cutoff=0.5)
    hint = f"; nearest: {', '.join(dict.fromkeys(known[name] for name in near))}" if near else ""
    return f'unknown measure "{text}"' + (hint or "; evalsql measures lists them")
