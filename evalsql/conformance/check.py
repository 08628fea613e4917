"""Which named variant of each retrieval measure a program computes, judged by its values for small cases.

    python check.py values.tsv
    python check.py --python package.module:function

values.tsv has a header and a line for each value: case, measure, value. An empty value is one that the program does
not compute; "error: ..." says why it gave none. The function takes judgments {topic: {document: grade}}, a run
{topic: {document: score}} and a measure. It gives the mean, or None where it does not compute that measure.

This file needs Python's standard library alone. It is read beside the cases: a folder for each, variants.json, and
faults.json with the values of forms that are known to be mistakes.
"""

import argparse
import csv
import importlib
import itertools
import json
import math
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

Given = float | str | None
Row = Mapping[str, Any]
ERROR = "error: "
FEWEST_DIGITS = 4  # a value is compared to so many digits after the point, or to as many as it has
MOST_DIGITS = 6  # 32-bit numbers have no more
_MOST_UNEXPLAINED = 0.1  # share of the cases
FORMS = ("text", "json", "md", "junit")


@dataclass(frozen=True)
class Suite:
    """The cases, what they expect of each variant, and what the conventions and variants are called."""

    folder: Path
    cases: Mapping[str, Row]
    faults: Mapping[str, Sequence[Row]]
    variants: Mapping[str, Mapping[str, str]]
    conventions: Mapping[str, Mapping[str, str]]

    def asked(self, for_files: bool = True) -> Iterator[tuple[str, str]]:
        """Each case with each of its measures; without the cases that stand in files alone, if asked."""
        for name, case in self.cases.items():
            if for_files or not case.get("files_only"):
                yield from ((name, measure) for measure in dict.fromkeys(row["measure"] for row in case["expected"]))


@dataclass
class Failure:
    """A case in which a program agrees with no variant, or not with the one it agrees with elsewhere."""

    case: str
    measure: str
    given: Given
    expected: dict[str, float]
    causes: list[str] = field(default_factory=list)


@dataclass
class Verdict:
    """What a program computes under the name of a measure; ``variant`` is null where no variant fits all cases."""

    measure: str
    variant: str | None
    conventions: dict[str, list[str]]
    num_cases: int
    num_agreeing: int
    nearest: str
    cause: str | None = None
    failures: list[Failure] = field(default_factory=list)


def read_suite(folder: Path) -> Suite:
    def content(path: Path) -> Any:
        return json.loads(path.read_text(encoding="utf-8"))

    named = content(folder / "variants.json")
    cases = {path.parent.name: content(path) for path in sorted(folder.glob("*/case.json"))}
    return Suite(folder, cases, content(folder / "faults.json"), named["measures"], named["conventions"])


def read_values(path: Path) -> dict[tuple[str, str], Given]:
    """The table of values, separated by tabs or commas; raises ValueError with file and line."""
    with path.open(encoding="utf-8-sig", newline="") as lines:
        header = lines.readline()
        names = [name.strip().lower() for name in next(csv.reader([header], delimiter=_mark(header)), [])]
        if not {"case", "measure", "value"} <= set(names):
            raise ValueError(
                f"{path}:1: the header has no columns case, measure and value, separated by tabs or commas"
            )
        values: dict[tuple[str, str], Given] = {}
        rows = csv.reader(lines, delimiter=_mark(header))
        for cells in filter(None, _cells(rows, path)):
            if len(cells) != len(names):
                raise ValueError(f"{path}:{rows.line_num + 1}: {len(cells)} cells, the header has {len(names)}")
            row = dict(zip(names, map(str.strip, cells), strict=True))
            if (key := (row["case"], row["measure"])) in values:
                raise ValueError(f"{path}:{rows.line_num + 1}: a second value for {' '.join(key)}")
            values[key] = row["value"] or None
    return values


def _cells(rows: Any, path: Path) -> Iterator[list[str]]:
    try:
        yield from rows
    except (csv.Error, UnicodeDecodeError) as error:
        raise ValueError(f"{path}:{rows.line_num + 1}: cannot be read: {error}") from error


def read_data(folder: Path) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """The judgments and the run of a case as dictionaries, in the order of the files."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels.txt").read_text(encoding="utf-8").splitlines():
        topic, _, document, grade = line.split()
        qrels.setdefault(topic, {})[document] = int(grade)
    for line in (folder / "run.txt").read_text(encoding="utf-8").splitlines():
        topic, _, document, _, score, _ = line.split()
        run.setdefault(topic, {})[document] = float(score)
    return qrels, run


def imported(name: str) -> Callable[..., Any]:
    """The function that package.module:function names, from here or from what is installed; or ValueError."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise ValueError(f'"{name}" names no function; expected package.module:function, such as mine:mean')
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        function = getattr(importlib.import_module(module), attribute)
    except (Exception, SystemExit) as error:  # what a module does when it is imported is its own
        raise ValueError(f'"{name}" cannot be imported; expected package.module:function: {error}') from error
    if not callable(function):
        raise ValueError(f'"{name}" is no function')
    return function  # type: ignore[no-any-return]


def values_of(function: Callable[..., Any], suite: Suite) -> dict[tuple[str, str], Given]:
    """What a function of judgments, run and measure gives for the cases that dictionaries can hold."""
    values: dict[tuple[str, str], Given] = {}
    for case, measure in suite.asked(for_files=False):
        try:
            found = function(*read_data(suite.folder / case), measure)
            values[case, measure] = None if found is None else float(found)
        except SystemExit as error:
            name = getattr(function, "__qualname__", function)
            raise ValueError(
                f"{name}({case}, {measure}) called sys.exit({error.code!r}); let it return the value, or raise an error"
            ) from error
        except Exception as error:  # whatever it is, it is the answer of the program
            values[case, measure] = f"{ERROR}{type(error).__name__}: {error}"
    return values


def _mark(header: str) -> str:
    return "\t" if "\t" in header else ","


def form_of(measure: str) -> str:
    """The name under which all cutoffs are judged together: nDCG@k for nDCG@10."""
    return re.sub(r"@\d+$", "@k", measure)


def agrees(given: Given, expected: float) -> bool:
    """Whether a value is the expected one, to the digits it is given with: four at least, six at most."""
    try:
        number = math.nan if given is None else float(given)
    except ValueError:
        return False
    text, _, power = repr(given).strip("'").lower().partition("e")
    digits = MOST_DIGITS if power else len(text.partition(".")[2])
    allowed = 0.5000001 * 10.0 ** -min(max(digits, FEWEST_DIGITS), MOST_DIGITS)
    return abs(number - expected) <= allowed * max(1.0, abs(expected))


def judge(values: Mapping[tuple[str, str], Given], suite: Suite) -> list[Verdict]:
    """A verdict for each measure that the program computes in some case; raises ValueError for values of no case."""
    asked = dict.fromkeys(suite.asked())
    if unknown := [key for key in values if key not in asked]:
        raise ValueError(f"no case {unknown[0][0]} asks for {unknown[0][1]}")
    by_form: dict[str, dict[tuple[str, str], Given]] = {form: {} for form in suite.variants}
    for key in asked:
        given = values.get(key)
        may_refuse = suite.cases[key[0]].get("may_refuse") and isinstance(given, str) and given.startswith(ERROR)
        if given is not None and not may_refuse:
            by_form[form_of(key[1])][key] = given
    return [_verdict(form, given, suite) for form, given in by_form.items() if given]


class _Candidates:
    """The variants of a measure under all conventions, each with the cases in which it agrees with a program."""

    def __init__(self, given: Mapping[tuple[str, str], Given], rows: Mapping[tuple[str, str], Sequence[Row]]) -> None:
        every = [row for key in given for row in rows[key]]
        axes: dict[str, dict[str, None]] = {}
        for row in every:
            for axis, options in row.get("conventions", {}).items():
                axes.setdefault(axis, {}).update(dict.fromkeys(options))
        self.axes = {axis: list(options) for axis, options in axes.items()}
        self.names = list(dict.fromkeys(row["name"] for row in every))
        self.failing: dict[tuple[str, ...], list[tuple[str, str]]] = {
            choice: [] for choice in itertools.product(self.names, *self.axes.values())
        }
        for key, value in given.items():
            for choice in self._contradicted(value, rows[key]):
                self.failing[choice].append(key)

    def _contradicted(self, value: Given, rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
        """The choices whose rows all have another value; those that differ in other conventions are judged together."""
        matters = [axis for axis in self.axes if any(axis in row.get("conventions", {}) for row in rows)]
        places = [0, *(list(self.axes).index(axis) + 1 for axis in matters)]
        known: dict[tuple[str, ...], bool] = {}
        for choice in self.failing:
            part = tuple(choice[at] for at in places)
            if part not in known:
                known[part] = self._fits(value, rows, part, matters)
            if not known[part]:
                yield choice

    @staticmethod
    def _fits(value: Given, rows: Sequence[Row], part: Sequence[str], matters: Sequence[str]) -> bool:
        chosen = dict(zip(matters, part[1:], strict=True))
        applying = [
            row
            for row in rows
            if row["name"] == part[0]
            and all(chosen[axis] in options for axis, options in row.get("conventions", {}).items())
        ]
        return not applying or any(agrees(value, row["value"]) for row in applying)

    def nearest(self) -> list[tuple[str, ...]]:
        """Those that fail in the fewest cases, which is none for a program that follows a variant."""
        fewest = min(map(len, self.failing.values()))
        return [choice for choice, failing in self.failing.items() if len(failing) == fewest]

    def narrowed(self, choices: Sequence[tuple[str, ...]]) -> dict[str, list[str]]:
        """The options of each convention that choices leave open, where these are not all of them."""
        left = {
            axis: [option for option in options if any(choice[at] == option for choice in choices)]
            for at, (axis, options) in enumerate(self.axes.items(), 1)
        }
        return {axis: options for axis, options in left.items() if len(options) < len(self.axes[axis])}


def _verdict(form: str, given: Mapping[tuple[str, str], Given], suite: Suite) -> Verdict:
    rows: dict[tuple[str, str], list[dict[str, Any]]] = {key: [] for key in given}
    wrong: dict[tuple[str, str], list[dict[str, Any]]] = {key: [] for key in given}
    for case, measure in given:
        for row in suite.cases[case]["expected"]:
            if row["measure"] == measure:
                rows[case, measure].append({**row, "name": row["variant"]})
        for row in suite.faults.get(case, ()):
            if row["measure"] == measure:
                wrong[case, measure].append({**row, "name": row["fault"]})
    candidates = _Candidates(given, rows)
    nearest = candidates.nearest()
    failing = candidates.failing[nearest[0]]
    named = " or ".join(dict.fromkeys(choice[0] for choice in nearest))
    agreeing = len(given) - len(failing)
    left = candidates.narrowed(nearest)
    conventions = {axis: left[axis] for axis in suite.conventions if axis in left}
    verdict = Verdict(form, None if failing else named, conventions, len(given), agreeing, named)
    if failing:
        verdict.cause = _cause(given, wrong, len(failing))
        verdict.failures = [_failure(key, given[key], rows[key], wrong[key]) for key in failing]
    return verdict


def _cause(
    given: Mapping[tuple[str, str], Given], wrong: Mapping[tuple[str, str], Sequence[Row]], num_failing: int
) -> str | None:
    """The mistakes that explain all values; or nearly all, and far more than the nearest variant does."""
    if not any(wrong.values()):
        return None
    faults = _Candidates(given, wrong)
    nearest = faults.nearest()
    num_left = len(faults.failing[nearest[0]])
    if num_left > len(given) * _MOST_UNEXPLAINED or num_left * 2 > num_failing:
        return None
    named = " or ".join(dict.fromkeys(choice[0] for choice in nearest))
    return named + (f" (in {len(given) - num_left} of {len(given)} cases)" if num_left else "")


def _failure(key: tuple[str, str], given: Given, rows: Sequence[Row], wrong: Sequence[Row]) -> Failure:
    expected = {label(row): row["value"] for row in rows}
    causes = dict.fromkeys(row["name"] for row in wrong if agrees(given, row["value"]))
    return Failure(*key, given, expected, list(causes))


def label(row: Row) -> str:
    """A variant with the conventions under which it gives a value, in words."""
    held = [f"{axis}: {' or '.join(options)}" for axis, options in row.get("conventions", {}).items()]
    return "; ".join([row["variant"], *held])


def passes(verdicts: Sequence[Verdict]) -> bool:
    return all(verdict.variant is not None for verdict in verdicts)


def rendered(verdicts: Sequence[Verdict], form: str = "text") -> str:
    """The verdicts as text, JSON, Markdown or JUnit XML."""
    if form == "json":
        return json.dumps([asdict(verdict) for verdict in verdicts], ensure_ascii=False, indent=2)
    if form == "junit":
        return _junit(verdicts)
    table = [("measure", "variant", "agrees", "conventions")]
    for each in verdicts:
        told = "; ".join(f"{axis}: {' or '.join(left)}" for axis, left in each.conventions.items())
        told = told if each.variant else ""
        table.append((each.measure, each.variant or "none", f"{each.num_agreeing} of {each.num_cases}", told))
    details = [line for verdict in verdicts for line in _told(verdict)]
    if form == "md":
        lines = [f"| {' | '.join(row)} |" for row in table]
        details = [f"{'  ' if line.startswith(' ') else ''}- {line.strip()}" for line in details]
        return "\n".join([lines[0], "|---|---|---|---|", *lines[1:], *([""] if details else []), *details])
    widths = [max(len(row[at]) for row in table) for at in range(3)]
    lines = ["  ".join([*map(str.ljust, row, widths), row[3]]).rstrip() for row in table]
    return "\n".join([*lines, *([""] if details else []), *details])


def _told(verdict: Verdict) -> list[str]:
    """What is wrong with a measure, a line for each failing case under it."""
    if verdict.variant is not None:
        return []
    cause = f"likely cause: {verdict.cause}" if verdict.cause else f"nearest variant: {verdict.nearest}"
    return [
        f"{verdict.measure}: no variant fits all cases; {cause}",
        *(f"  {_case(each)}" for each in verdict.failures),
    ]


def _case(failure: Failure) -> str:
    by_value: dict[str, list[str]] = {}
    for name, value in failure.expected.items():
        by_value.setdefault(f"{value:.6g}", []).append(name)
    expected = ", ".join(f"{value} ({' | '.join(names)})" for value, names in by_value.items())
    exceeds = isinstance(failure.given, float) and failure.given > 1 and max(failure.expected.values()) <= 1
    given = f"{failure.given}, more than 1" if exceeds else failure.given
    return f"{failure.case} {failure.measure}: gave {given}; expected {expected}"


def _junit(verdicts: Sequence[Verdict]) -> str:
    cases = []
    for verdict in verdicts:
        first, *rest = _told(verdict) or [""]
        told = ("failure", first, "\n".join(rest)) if verdict.variant is None else ("system-out", "", verdict.variant)
        cases.append((verdict.measure, *told))
    return junit("conformance", "conformance", cases)


def junit(suite: str, kind: str, cases: Sequence[tuple[str, str, str, str]]) -> str:
    """JUnit XML of cases: the name of each, what is told of it (failure, error, system-out, nothing), message, text."""
    tags = [tag for _, tag, *_ in cases]
    counts = {"tests": len(tags), "failures": tags.count("failure"), "errors": tags.count("error")}
    root = ElementTree.Element("testsuites")
    whole = ElementTree.SubElement(root, "testsuite", {"name": suite, **{key: str(counts[key]) for key in counts}})
    for name, tag, message, text in cases:
        case = ElementTree.SubElement(whole, "testcase", classname=kind, name=name)
        if tag:
            ElementTree.SubElement(case, tag, {"message": message} if message else {}).text = text
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Which variant of each measure a table of values follows.")
    parser.add_argument("values", type=Path, nargs="?", help="a table with the columns case, measure, value")
    parser.add_argument("--python", metavar="MODULE:FUNCTION", help="a function that computes the values")
    parser.add_argument("--cases", type=Path, default=Path(__file__).resolve().parent, help="the folder of the cases")
    parser.add_argument("--format", choices=FORMS, default="text")
    asked = parser.parse_args(arguments)
    if (asked.values is None) is (asked.python is None):
        parser.error("give a table of values, or --python MODULE:FUNCTION")
    try:
        suite = read_suite(asked.cases)
        values = values_of(imported(asked.python), suite) if asked.python else read_values(asked.values)
        verdicts = judge(values, suite)
    except (ValueError, OSError) as error:
        print(f"check.py: {error}", file=sys.stderr)
        return 2
    if not verdicts:
        print("check.py: there is no value", file=sys.stderr)
        return 2
    print(rendered(verdicts, asked.format))
    return 0 if passes(verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
