"""Systems by measures with the significant differences between them: a table for a paper, Markdown or LaTeX."""

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any, NamedTuple

from evalsql.catalog.measure_names import Measure, names_of_less_is_better
from evalsql.database.names import Names
from evalsql.evaluation.evaluation import FAMILIES
from evalsql.phrases import counted, read_cells
from evalsql.report.table import BETTER, CORRECTED, WORSE, Table
from evalsql.report.writers import latex_label
from evalsql.warehouse.warehouse import Warehouse

_WORDS = read_cells(Path(__file__).with_name("comparison_words.tsv"))
TESTS, INTERVALS, CORRECTIONS, OTHERWISE = (
    {name: words for kind, name, words in _WORDS if kind == of} for of in ("test", "interval", "correction", "mean")
)
# Columns of compared pairs where there is little room.
INTERVAL, OUTCOMES = "interval", "W-T-L"
_BRIEF = {"low": INTERVAL, "wins": OUTCOMES, "p_corrected": CORRECTED}


class Comparison(NamedTuple):
    """Compared pairs of one judgment set, and how a table shows them."""

    qrels: str
    pairs: Sequence[Mapping[str, Any]]  # as ``Warehouse.compare`` gives them, each by column
    measures: Sequence[str]
    test: str = "t"
    correction: str = "holm"
    alpha: float = 0.05
    otherwise: Sequence[tuple[str, str]] = ()  # measures that a leaderboard averages in another way, and that way
    lower: frozenset[str] = frozenset()
    board: Mapping[tuple[str, str], float] | None = None  # means of a leaderboard, shown instead of the pairs' own
    counts: frozenset[str] = frozenset()
    baseline: str | None = None  # the run that all others were tested with; None where all pairs were
    family: str = "measure"
    has_others: bool = False  # whether pairs of other judgment sets were corrected with these
    order: Sequence[str] = ()  # runs that stand on top
    names: Mapping[str, str] = {}  # other names of runs and measures
    beside: str | None = None  # a run that daggers compare with, where all pairs were tested too
    changes: Mapping[tuple[str, str], float | None] = {}  # by run and measure, in percent of ``changed_from``
    changed_from: str | None = None
    text: str = ""  # replaces the caption's first sentence
    label: str = ""  # replaces the label

    @property
    def means(self) -> dict[tuple[str, str], float]:
        """By run and measure."""
        found = {(pair["baseline"], pair["measure"]): pair["baseline_mean"] for pair in self.pairs}
        return found | {(pair["run"], pair["measure"]): pair["mean"] for pair in self.pairs}

    @property
    def runs(self) -> list[str]:
        """Those that have an order, then the best by the first measure on top; stored scores may lack it."""
        means, first = self.means, self.measures[0]
        sign = 1 if first in self.lower else -1

        def place(run: str) -> tuple[float, str]:
            return sign * means[run, first] if (run, first) in means else math.inf, run

        return [*self.order, *sorted({run for run, _ in means} - {*self.order}, key=place)]

    @property
    def how(self) -> str:
        """Test, correction and alpha in words."""
        counts = [pair["num_tests"] for pair in self.pairs]
        least, most = min(counts), max(counts)
        number = f"{least} to {most} tests" if least < most else f"{most} test{'s' if most > 1 else ''}"
        correction = "for all pairs at once" if self.test == "tukey" else f"{CORRECTIONS[self.correction]} for {number}"
        return f"{TESTS[self.test]}, p {correction}, alpha = {self.alpha:g}"

    @property
    def tested(self) -> str:
        """Which tests p was corrected for; none where there is nothing to be corrected."""
        if self.test == "tukey" or self.correction == "none" or len(self.pairs) == 1:
            return ""
        num_runs = len({name for pair in self.pairs for name in (pair["run"], pair["baseline"])})
        what = f"all pairs of {counted(num_runs, 'system')}"
        if self.baseline is not None:
            what = f"{self.name(self.baseline)} with {counted(num_runs - 1, 'system')}"
        together = f", {FAMILIES[self.family]}" if len(self.measures) > 1 else ""
        others = ", and those of the other judgment sets" if self.has_others and self.family == "all" else ""
        return f"The tests compare {what}{together}{others}."

    def name(self, run: str) -> str:
        """What the run, or the measure, is called in a table."""
        return self.names.get(run, run)

    @property
    def caption(self) -> str:
        topics = sorted({pair["num_topics"] for pair in self.pairs})
        span = f"{topics[0]}" if len(topics) == 1 else f"{topics[0]} to {topics[-1]}"
        text = self.text or f"Means over {span} topics of {self.qrels}; the best in bold."
        marks = f"A superscript names the systems that are significantly worse ({self.how})."
        if self.baseline is not None:
            base = self.name(self.baseline)
            marks = f"{BETTER} is significantly better than {base}, {WORSE} significantly worse ({self.how})."
        elif self.beside is not None:
            base = self.name(self.beside)
            marks += f" {BETTER} is significantly better than {base}, {WORSE} significantly worse."
        if self.changed_from is not None:
            marks += f" In parentheses the change of the mean relative to {self.name(self.changed_from)}."
        return " ".join(filter(None, [text, marks, self.tested, *self.notes]))

    @property
    def is_told_apart(self) -> bool:
        """Whether an interval excludes 0 where p finds no difference, or the other way round."""
        ends = [pair for pair in self.pairs if pair["low"] is not None]
        return any((pair["low"] > 0 or pair["high"] < 0) != (pair["p_corrected"] < self.alpha) for pair in ends)

    @property
    def notes(self) -> list[str]:
        """A sentence for each measure whose means are not those of a leaderboard."""
        return [f"{measure}: {OTHERWISE[way]}." for measure, way in self.otherwise]

    def table(self, digits: int) -> Table:
        """Systems by measures, each mean with the marks of its significant differences."""
        means, runs = self.board or self.means, self.runs
        labels = {run: label(at) for at, run in enumerate(runs)}
        heads = ["", "run"] if self.baseline is None else ["run"]
        columns = {measure: at for at, measure in enumerate(self.measures, start=len(heads))}
        places = {(run, measure): (nth, at) for nth, run in enumerate(runs) for measure, at in columns.items()}
        names = [[labels[run], self.name(run)][-len(heads) :] for run in runs]
        return Table(
            [*heads, *map(self.name, self.measures)],
            [[*names[nth], *(means.get((run, each)) for each in self.measures)] for nth, run in enumerate(runs)],
            counts=frozenset(map(self.name, self.counts)),
            marks={places[key]: mark for key, mark in self._marks(labels).items()},
            changes={places[key]: f"{change:+.1f}%" for key, change in self.changes.items() if change is not None},
            caption=self.caption,
            label=self.label or latex_label(self.qrels),
        ).with_best({self.name(measure) for measure in self.lower}, digits, first=len(heads), by=0)

    def _marks(self, labels: Mapping[str, str]) -> dict[tuple[str, str], str]:
        """By run and measure the dagger, then the labels of the runs that it outdoes where all pairs were compared."""
        outdone: dict[tuple[str, str], set[str]] = {}
        for pair in self.pairs:
            if mark := verdict(pair, self.alpha, self.lower):
                run, other = pair["run"], pair["baseline"]
                better, worse = (run, other) if mark == BETTER else (other, run)
                outdone.setdefault((better, pair["measure"]), set()).add(worse)
        base = self.baseline or self.beside
        found = {key: BETTER for key, runs in outdone.items() if base in runs}
        found |= {(run, measure): WORSE for (key, measure), runs in outdone.items() if key == base for run in runs}
        if self.baseline is None:
            for key, runs in outdone.items():
                found[key] = found.get(key, "") + ",".join(labels[run] for run in labels if run in runs)
        return found


def compare_runs(
    warehouse: Warehouse,
    baseline: str | None,
    runs: Names,
    measures: Sequence[Measure],
    *,
    alpha: float,
    **options: Any,
) -> tuple[str, Table, list[Comparison]]:
    """The SELECT of compared pairs, its rows and the comparison of each set; options as for ``Warehouse.compare``."""
    names = [measure.name for measure in measures]
    query = warehouse.evaluation.comparison_query(baseline, runs, measures=names, **options)
    table = Table(*warehouse.database.table(query))
    tested = {name: options[name] for name in ("test", "correction", "family") if name in options}
    return query, table, by_judgments(warehouse, table, measures, alpha=alpha, baseline=baseline, **tested)


def by_judgments(
    warehouse: Warehouse, table: Table, measures: Sequence[Measure], *, alpha: float, **tested: Any
) -> list[Comparison]:
    """The compared pairs of each judgment set; ``tested`` may be baseline, test, correction and family."""
    names = [measure.name for measure in measures]
    otherwise = warehouse.evaluation.averaged_otherwise(names)
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in table.rows:
        rows.setdefault(str(row[0]), []).append(dict(zip(table.columns, row, strict=True)))
    return [
        Comparison(
            qrels,
            pairs,
            names,
            alpha=alpha,
            otherwise=[(name, way) for held, name, way in otherwise if held == qrels],
            lower=names_of_less_is_better(measures),
            has_others=len(rows) > 1,
            **tested,
        )
        for qrels, pairs in rows.items()
    ]


def arranged(
    warehouse: Warehouse,
    compared: Sequence[Comparison],
    order: Sequence[str],
    names: Mapping[str, str],
    *,
    beside: str | None,
    changed_from: str | None,
    pairs: str,
) -> list[Comparison]:
    """The comparisons with these runs on top, other names, and daggers beside the letters of all pairs.

    Where means are shown relative to those of a baseline, ``pairs`` is the SELECT of the pairs.
    """
    found: dict[str, dict[tuple[str, str], float | None]] = {}
    if changed_from is not None:
        query = warehouse.database.query("relative_changes", {"pairs": pairs}, baseline=changed_from)
        for qrels, measure, run, change in warehouse.rows(query):
            found.setdefault(qrels, {})[run, measure] = change
    return [
        one._replace(
            order=[run for run in order if run in {*one.runs}],
            names=names,
            beside=beside if beside in {*one.runs} else None,
            changes=found.get(one.qrels, {}),
            changed_from=changed_from,
        )
        for one in compared
    ]


def verdict(pair: Mapping[str, Any], alpha: float, lower: Collection[str]) -> str:
    """The mark of a run that is significantly better or worse than its baseline; none where it is neither."""
    if pair["p_corrected"] is None or not pair["p_corrected"] < alpha or not pair["difference"]:
        return ""
    return BETTER if (pair["difference"] > 0) != (pair["measure"] in lower) else WORSE


def difference_columns(table: Table, digits: int, alpha: float, lower: Collection[str], between: str = "..") -> Table:
    """Compared pairs with one column for both ends of the interval, and one for topics won, tied and lost.

    Significant differences are marked. A column of notes without any is left out.
    """
    texts = {name: [table.text(row, at, digits) for row in table.rows] for at, name in enumerate(table.columns)}

    def joined(sign: str, first: str, *others: str) -> list[str | None]:
        """These values with a sign between them, the first below each other; null where one is null."""
        size = max(map(len, texts[first]), default=0)
        rows = zip(*(texts[name] for name in (first, *others)), strict=True)
        return [sign.join([row[0].rjust(size), *row[1:]]) if all(row) else None for row in rows]

    columns: dict[str, Sequence[Any]] = {name: [row[0] for row in table.picked(name)] for name in table.columns}
    columns |= {"low": joined(between, "low", "high"), "wins": joined("-", "wins", "ties", "losses")}
    for name in ("high", "ties", "losses", *([] if any(columns["note"]) else ["note"])):
        del columns[name]
    heads = [_BRIEF.get(name, name) for name in columns]
    pairs = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    at = heads.index("difference")
    marks = {(nth, at): mark for nth, pair in enumerate(pairs) if (mark := verdict(pair, alpha, lower))}
    rows = list(zip(*columns.values(), strict=True))
    return Table(heads, rows, table.counts, whole=frozenset((INTERVAL, OUTCOMES)), marks=marks)


def label(number: int) -> str:
    """a to z, aa, ab, ... for 0, 1, ..."""
    letters = ""
    while number >= 0:
        letters = ascii_lowercase[number % 26] + letters
        number = number // 26 - 1
    return letters
