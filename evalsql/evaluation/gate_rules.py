"""What a gate goes by: rules such as ``nDCG@10 >= 0.45``, and files that hold the figures of a baseline."""

from __future__ import annotations

import json
import math
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from evalsql.catalog.measure_names import Measure, parse_measures, split_names
from evalsql.catalog.relations import Catalog
from evalsql.errors import UsageError

FORMS = (
    '"nDCG@10 >= 0.45", "nDCG@10 drop <= 0.01", "nDCG@10 drop <= 5%", "AP not worse at p < 0.05", '
    '"p95(latency_ms) <= 250", "mean(latency_ms) rise <= 10%", "total(money) <= 2", "topic T07 in first 10", '
    '"kappa with human >= 0.6", "missing topics <= 0", "board nDCG@10 drop <= 0.005", '
    '"no collection nDCG@10 drop > 0.05" or "missing collections <= 0"'
)
# gate_drops.sql and gate_board_drops.sql name these kinds too, and gate_verdicts.sql has a figure for every kind.
ON_BOARDS = ("board", "collection")
COMPARING = ("drop", "test", "lacking", *ON_BOARDS)
_NUMBER = r"(?P<bound>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
_MEASURE = r"(?P<measure>\S.*?)"
_GROUP = r"(?:\s+for\s+(?P<key>\S+?)\s*=\s*(?P<value>\S.*))?"
# The first form that fits is taken, so a longer one stands before one that it ends in.
_KINDS = {
    "topic": re.compile(r"topic\s+(?P<topic>\S.*?)\s+in\s+first\s+(?P<bound>[1-9]\d*)"),
    "kappa": re.compile(rf"kappa\s+with\s+(?P<topic>\S.*?)\s*(?P<comparison>>=|>)\s*{_NUMBER}"),
    "missing": re.compile(r"missing\s+topics\s*(?P<comparison><=)\s*(?P<bound>\d+)"),
    "lacking": re.compile(r"missing\s+collections\s*(?P<comparison><=)\s*(?P<bound>\d+)"),
    "test": re.compile(rf"{_MEASURE}\s+not\s+worse\s+at\s+p\s*<\s*{_NUMBER}{_GROUP}"),
    "collection": re.compile(rf"no\s+collection\s+{_MEASURE}\s+drop\s*>\s*{_NUMBER}"),
    "board": re.compile(rf"board\s+{_MEASURE}\s+drop\s*(?P<comparison><=|<)\s*{_NUMBER}(?P<percent>\s*%)?"),
    "drop": re.compile(
        rf"{_MEASURE}\s+(?P<word>drop|rise)\s*(?P<comparison><=|<)\s*{_NUMBER}(?P<percent>\s*%)?{_GROUP}"
    ),
    "mean": re.compile(rf"{_MEASURE}\s*(?P<comparison>>=|<=|>|<)\s*{_NUMBER}{_GROUP}"),
}
_COST = re.compile(r"(mean|median|p95|total)\(\s*([A-Za-z][\w.]*)\s*\)")  # what of costs, and which cost
_KEYS = ("rules", "measure-file", "baseline")


class Rule(NamedTuple):
    """One rule: its figure is compared with a bound."""

    text: str
    kind: str  # a key of _KINDS; of the checks that every gate has documents or judged
    comparison: str
    bound: float
    asked: str = ""  # the name of the measure
    topic: str | None = None  # or the judgment set that kappa is with
    measure: Measure | None = None
    problem: str = ""  # such as a measure that is not known
    group: tuple[str, str] | None = None  # of topics: key and value
    is_relative: bool = False  # whether a drop is a share of the baseline's mean
    word: str = "drop"  # or rise, where less is better
    statistic: str = ""  # of a cost that is compared by its median or p95 over topics, or by its total

    @property
    def label(self) -> str | None:
        """What the values that it reads are called: the measure, with the group of topics behind another @."""
        if self.measure is None:
            return None
        name = f"{self.statistic}({self.measure.name})" if self.statistic else self.measure.name
        return name if self.group is None else f"{name}@{'='.join(self.group)}"

    @property
    def is_count(self) -> bool:
        return self.kind in ("topic", "missing", "lacking", "documents", "judged")

    def resolved(self, catalog: Catalog) -> Rule:
        """The rule with its measure; one that is not known, or that cannot break the rule, becomes its problem."""
        if not self.asked:
            return self
        try:
            (measure,) = parse_measures([self.asked], catalog)
        except UsageError as error:
            return self._replace(problem=str(error))
        except ValueError:
            return self._replace(problem=f"{self.asked} stands for several measures; name one")
        if self.word == "rise" and not measure.relation.header.less_is_better:
            return self._replace(problem=f"more of {measure.name} is better, and a rule limits its drop")
        low, high = measure.relation.header.bounds
        meant, problem = f"{-self.bound:g}" if -1 <= self.bound < 0 else "", ""
        is_idle = self.kind == "mean" and not low <= self.bound <= high
        if self.kind == "drop" and not self.is_relative and self.bound >= high - low:
            is_idle, meant = True, f"{self.bound:g}%"
        if is_idle and measure.arguments.get("gains") is None:
            problem = f"{measure.name} is between {low:g} and {high:g}, so that every run has the same answer"
            if meant:
                problem += f'; did you mean "{self.asked} drop <= {meant}"?'
        return self._replace(measure=measure, problem=problem)


def parse_rule(text: str) -> Rule:
    """The rule that a sentence is; raises UsageError with the forms that are known."""
    stripped = " ".join(text.split())
    matches = ((kind, form.fullmatch(stripped)) for kind, form in _KINDS.items())
    kind, found = next(((kind, match.groupdict()) for kind, match in matches if match), ("", {}))
    asked, bound = found.get("measure") or "", float(found.get("bound", 0))
    statistic, cost = match.groups() if (match := _COST.fullmatch(asked)) else ("", "")
    asked = f"Cost(name='{cost}')" if cost else asked
    if not kind or len(split_names(asked)) > 1 or (kind not in ("mean", "drop") and statistic not in ("", "mean")):
        raise UsageError(f'rule "{text}" is not understood; rules are {FORMS}')
    if not math.isfinite(bound):
        raise UsageError(f'rule "{text}": the bound is too large a number')
    if kind == "test" and not 0 < bound < 1:
        raise UsageError(f'rule "{text}": the level of p is {bound:g}, but must be between 0 and 1')
    if statistic == "total" and found.get("key"):
        raise UsageError(f'rule "{text}": a total is of all topics; leave out what stands behind "for"')
    # A test holds where the corrected p is not below the level.
    comparison = found.get("comparison") or (">=" if kind == "test" else "<=")
    group = (found["key"], found["value"]) if found.get("key") else None
    is_relative = bool(found.get("percent"))
    bound = bound / 100 if is_relative else bound
    how = {"word": found.get("word") or "drop", "statistic": statistic.removeprefix("mean")}
    return Rule(stripped, kind, comparison, bound, asked, found.get("topic"), None, "", group, is_relative, **how)


def parse_rules(sentences: Sequence[str], place: Callable[[str], str] = lambda _: "--rule") -> list[Rule]:
    """The rules of a command line, or of another place; raises UsageError with all that are not understood."""
    rules, problems = [], []
    for sentence in sentences:
        try:
            rules.append(parse_rule(sentence))
        except UsageError as error:
            problems.append(f"{place(sentence)}: {error}")
    if problems:
        raise UsageError("\n".join(problems))
    return rules


def read_rules(path: Path) -> tuple[list[Rule], list[str], str | None]:
    """The rules, files of measures and baseline of a TOML file; raises UsageError with file and, for a rule, line."""
    text, content = read_parsed(path, tomllib.loads, "TOML file of rules")
    if unknown := [key for key in content if key not in _KEYS]:
        raise UsageError(f'{path}: unknown key "{unknown[0]}", expected {", ".join(_KEYS)}')
    files = content.get("measure-file", [])
    listed = {"rules": content.get("rules", []), "measure-file": [files] if isinstance(files, str) else files}
    for key, given in listed.items():
        if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
            raise UsageError(f"{path}: {key} must be a list of texts")
    if not listed["rules"]:
        raise UsageError(f'{path}: has no rules; expected rules = ["nDCG@10 >= 0.45"]')
    baseline = content.get("baseline")
    if not isinstance(baseline, str | None):
        raise UsageError(f"{path}: baseline must be one text: a run, or a file of figures")

    def place(sentence: str) -> str:
        # With its quotes, as it may be part of a longer rule; not found where it is written with escapes.
        at = max(text.find(f'"{sentence}"'), text.find(f"'{sentence}'"))
        return f"{path}:{text.count(chr(10), 0, at) + 1}" if at >= 0 else str(path)

    return parse_rules(listed["rules"], place), [str(path.parent / each) for each in listed["measure-file"]], baseline


def read_parsed(path: Path, parse: Callable[[str], Any], what: str) -> tuple[str, Any]:
    """Text and content of a file; raises UsageError where it cannot be read, or is no such file."""
    try:
        text = path.read_text(encoding="utf-8")
        return text, parse(text)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # what parsers raise is a kind of ValueError
        raise UsageError(f"{path}: is no {what}: {error}") from error


EXTENSIONS = (".json", ".toml")
_TEXTS = ("run", "qrels", "qrels_sha256", "evalsql_version")


class Figures(NamedTuple):
    """Values by measure and topic, of which run, and by which judgments."""

    run: str
    qrels: str
    qrels_sha256: str
    evalsql_version: str
    measures: Mapping[str, Mapping[str, float]]


def read_figures(path: Path) -> Figures:
    """Read a file of figures; raises UsageError where it cannot be read or holds something else."""
    is_toml = path.suffix.lower() == ".toml"
    parse = tomllib.loads if is_toml else partial(json.loads, object_pairs_hook=_without_repeats)
    _, content = read_parsed(path, parse, f"{'TOML' if is_toml else 'JSON'} file of figures")
    if not isinstance(content, dict) or not isinstance(content.get("measures"), dict) or not content["measures"]:
        raise UsageError(f'{path}: has no "measures"; evalsql gate RUN --update-baseline writes such a file')
    texts = {key: content.get(key, "") for key in _TEXTS}
    if odd := [key for key, value in texts.items() if not isinstance(value, str)]:
        raise UsageError(f"{path}: {odd[0]} must be a text")
    measures = content["measures"]
    for name, given in measures.items():
        if not isinstance(given, dict) or not given:
            raise UsageError(f"{path}: {name} has no values by topic")
        for topic, value in given.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise UsageError(f"{path}: {name} of topic {topic} is {value!r}, not a finite number")
    # A mean over some topics would pass for that over all.
    topics = {topic for values in measures.values() for topic in values}
    for name, values in measures.items():
        if name.startswith("Cost("):  # which topics may lack
            continue
        if lacking := sorted(topics - values.keys()):
            raise UsageError(f"{path}: {name} has no value of topic {lacking[0]}, which another measure has")
    return Figures(**texts, measures=measures)


def text_of(figures: Figures, path: Path) -> str:
    """What a file of figures holds, topics in the order of their names; raises UsageError for other extensions."""
    if path.suffix.lower() not in EXTENSIONS:
        raise UsageError(f"{path}: a baseline is written as {' or '.join(EXTENSIONS)}")
    measures = {name: dict(sorted(values.items())) for name, values in figures.measures.items()}
    content = {key: getattr(figures, key) for key in _TEXTS}
    if path.suffix.lower() == ".json":
        return json.dumps({**content, "measures": measures}, indent=1, ensure_ascii=False) + "\n"
    lines = [f"{key} = {_quoted(value)}" for key, value in content.items()]
    for name, values in measures.items():
        lines += ["", f"[measures.{_quoted(name)}]", *(f"{_quoted(topic)} = {values[topic]!r}" for topic in values)]
    return "\n".join(lines) + "\n"


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f'"{next(name for name in names if names.count(name) > 1)}" stands twice')
    return found


def _quoted(text: str) -> str:
    """A basic string of TOML: as in JSON, and the one control character that JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
