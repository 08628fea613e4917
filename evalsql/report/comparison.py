"""Systems by measures with the significant differences between them: a table for a paper, Markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from string import ascii_lowercase
from typing import Any, NamedTuple, TextIO

from evalsql.phrases import counted
from evalsql.report.markup import decimal_parts, escape_latex, escape_markdown, in_bold, latex_label, latex_needs

TESTS: Mapping[str, str] = {
    "t": "paired t test",
    "wilcoxon": "Wilcoxon signed rank test",
    "sign": "sign test",
    "randomisation": "randomisation test",
    "bootstrap": "paired bootstrap test",
    "tukey": "randomised Tukey HSD",
}
INTERVALS: Mapping[str, str] = {
    "t": "Student's t",
    "percentile": "bootstrap percentiles",
    "bca": "BCa bootstrap",
}
CORRECTIONS: Mapping[str, str] = {
    "holm": "corrected by Holm",
    "bonferroni": "corrected by Bonferroni",
    "benjamini_hochberg": "corrected by Benjamini-Hochberg",
    "benjamini_yekutieli": "corrected by Benjamini-Yekutieli",
    "none": "not corrected",
}
OTHERWISE: Mapping[str, str] = {
    "weighted": "every topic weighs the same, unlike in its weighted mean",
    "sum": "the mean over topics, not the sum",
}


# Beside what is significantly better and worse than the baseline.
BETTER, WORSE = "\u2020", "\u2021"
_IN_LATEX = {BETTER: r"\dagger", WORSE: r"\ddagger"}


class Comparison(NamedTuple):
    """Compared pairs of one judgment set as ``Warehouse.compare`` gives them, each by column.

    ``measures`` is their order; p values corrected below ``alpha`` are significant. ``otherwise`` names measures that a
    leaderboard averages in another way, and that way; ``lower`` those where less is better. ``shown`` has the texts of
    means that are to stand in a table in the place of the pairs' own. ``baseline`` is the run that all others were
    tested with, null where all pairs were; ``family`` says what was corrected together, and ``has_others`` that other
    judgment sets were too.

    How a table shows them: ``order`` names the runs that stand on top, ``names`` gives runs and measures other names.
    ``beside`` is a run that daggers tell better and worse from, where all pairs were tested too. ``changes`` has by run
    and measure the change in percent relative to the run ``changed_from``, where it is to be shown. ``text`` and
    ``label`` stand in the place of the caption's first sentence and of the label.
    """

    qrels: str
    pairs: Sequence[Mapping[str, Any]]
    measures: Sequence[str]
    test: str
    correction: str
    alpha: float
    otherwise: Sequence[tuple[str, str]] = ()
    lower: frozenset[str] = frozenset()
    shown: Mapping[tuple[str, str], str] | None = None
    baseline: str | None = None
    family: str = "all"
    has_others: bool = False
    order: Sequence[str] = ()
    names: Mapping[str, str] = {}
    beside: str | None = None
    changes: Mapping[tuple[str, str], float | None] | None = None
    changed_from: str = ""
    text: str = ""
    label: str = ""

    @property
    def means(self) -> dict[tuple[str, str], float]:
        """By run and measure."""
        found = {(pair["baseline"], pair["measure"]): pair["baseline_mean"] for pair in self.pairs}
        return found | {(pair["run"], pair["measure"]): pair["mean"] for pair in self.pairs}

    @property
    def runs(self) -> list[str]:
        """Those that have an order, then the best by the first measure on top; stored scores may lack it."""
        means, first = self.means, self.measures[0]
        names = {run for run, _ in means} - {*self.order}
        sign = 1 if first in self.lower else -1

        def place(run: str) -> tuple[bool, float, str]:
            return (run, first) not in means, sign * means.get((run, first), 0.0), run

        return [*self.order, *sorted(names, key=place)]

    @property
    def outdone(self) -> dict[tuple[str, str], set[str]]:
        """By run and measure the runs that are significantly worse."""
        worse: dict[tuple[str, str], set[str]] = {}
        for pair in self.pairs:
            if pair["p_corrected"] < self.alpha and pair["difference"]:
                is_better = (pair["difference"] > 0) != (pair["measure"] in self.lower)
                better, other = (pair["run"], pair["baseline"]) if is_better else (pair["baseline"], pair["run"])
                worse.setdefault((better, pair["measure"]), set()).add(other)
        return worse

    @property
    def how(self) -> str:
        """Test, correction and alpha in words."""
        counts = sorted({pair["num_tests"] for pair in self.pairs})
        number = f"{counts[0]} test" + ("s" if counts[0] > 1 else "")
        if len(counts) > 1:
            number = f"{counts[0]} to {counts[-1]} tests"
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
        if self.family == "measure":
            return f"The tests compare {what}, each measure by itself."
        by = f" by {len(self.measures)} measures" if len(self.measures) > 1 else ""
        others = ", and those of the other judgment sets" if self.has_others else ""
        return f"The tests compare {what}{by}{others}."

    def name(self, run: str) -> str:
        """What the run, or the measure, is called in a table."""
        return self.names.get(run, run)

    @property
    def dagger_run(self) -> str | None:
        """The run that daggers tell better and worse from."""
        return self.beside if self.baseline is None else self.baseline

    @property
    def caption(self) -> str:
        topics = sorted({pair["num_topics"] for pair in self.pairs})
        span = f"{topics[0]}" if len(topics) == 1 else f"{topics[0]} to {topics[-1]}"
        text = self.text or f"Means over {span} topics of {self.qrels}; the best in bold."
        marks = f"A superscript names the systems that are significantly worse ({self.how})."
        if self.baseline is not None:
            base = self.name(self.baseline)
            were = "are shown" if self.test == "tukey" else "were tested"
            marks = (
                f"Only differences to {base} {were}: {BETTER} marks what is significantly better than {base}, {WORSE} "
                f"what is significantly worse ({self.how})."
            )
        elif self.beside is not None:
            base = self.name(self.beside)
            marks += f" {BETTER} marks what is significantly better than {base}, {WORSE} what is significantly worse."
        if self.changes is not None:
            marks += f" In parentheses the change of the mean relative to {self.name(self.changed_from)}."
        return " ".join(filter(None, [text, marks, self.tested, *self.notes]))

    @property
    def notes(self) -> list[str]:
        """A sentence for each measure whose means are not those of a leaderboard."""
        return [f"{measure}: {OTHERWISE[way]}." for measure, way in self.otherwise]


def label(number: int) -> str:
    """a to z, aa, ab, ... for 0, 1, ..."""
    letters = ""
    while number >= 0:
        letters = ascii_lowercase[number % 26] + letters
        number = number // 26 - 1
    return letters


class _Cell(NamedTuple):
    """A mean as text, whether it is the best, its superscript, and the relative change."""

    mean: str
    is_best: bool
    marks: str
    change: str


def write_markdown(comparisons: Iterable[Comparison], stream: TextIO, digits: int) -> None:
    """A pipe table each, its caption below."""
    for comparison in comparisons:
        heads = _heads(comparison)
        columns = [*heads, *(escape_markdown(comparison.name(measure)) for measure in comparison.measures)]
        stream.write(f"| {' | '.join(columns)} |\n")
        stream.write(f"| {' | '.join(['---'] * len(heads) + ['---:'] * len(comparison.measures))} |\n")
        for names, cells in _rows(comparison, digits):
            stream.write(f"| {' | '.join([*map(escape_markdown, names), *map(_in_markdown, cells)])} |\n")
        stream.write(f"\n{escape_markdown(comparison.caption)}\n\n")


def _in_markdown(cell: _Cell) -> str:
    text = f"**{cell.mean}**" if cell.is_best else cell.mean
    return text + (f"<sup>{cell.marks}</sup>" if cell.marks else "") + (f" ({cell.change})" if cell.change else "")


def write_latex(comparisons: Iterable[Comparison], stream: TextIO, digits: int) -> None:
    """A table float each, in booktabs, below what they need.

    A mean has two columns, before its decimal point and from there on, so that the points stand below each other.
    """
    body = StringIO()
    for comparison in comparisons:
        _write_float(comparison, body, digits)
    stream.write(latex_needs(body.getvalue()) + body.getvalue())


def _write_float(comparison: Comparison, stream: TextIO, digits: int) -> None:
    heads = _heads(comparison)
    form = "r@{}l" if comparison.changes is None else "r@{}l@{\\ }r"
    width = 2 if comparison.changes is None else 3
    measures = (
        f"\\multicolumn{{{width}}}{{c}}{{{escape_latex(comparison.name(measure))}}}" for measure in comparison.measures
    )
    caption = escape_latex(comparison.caption)
    for mark, command in _IN_LATEX.items():
        caption = caption.replace(mark, f"${command}$")
    stream.write(f"\\begin{{table}}\n\\centering\n\\caption{{{caption}}}\n")
    stream.write(f"\\label{{{comparison.label or latex_label(comparison.qrels)}}}\n")
    stream.write(f"\\begin{{tabular}}{{{'l' * len(heads)}{form * len(comparison.measures)}}}\n")
    stream.write(f"\\toprule\n{' & '.join([*heads, *measures])} \\\\\n\\midrule\n")
    for names, cells in _rows(comparison, digits):
        shown = (_in_latex(cell, has_change=comparison.changes is not None) for cell in cells)
        stream.write(f"{' & '.join([*map(escape_latex, names), *shown]).rstrip()} \\\\\n")
    stream.write("\\bottomrule\n\\end{tabular}\n\\end{table}\n")


def _in_latex(cell: _Cell, *, has_change: bool) -> str:
    parts = decimal_parts(cell.mean)
    whole, decimals = map(in_bold, parts) if cell.is_best else parts
    text = f"{whole} & {decimals}{_superscript(cell.marks)}"
    if has_change:
        change = escape_latex(cell.change).replace("-", "$-$").replace("+", "$+$")
        text += f" & ({change})" if cell.change else " &"
    return text


def _superscript(marks: str) -> str:
    if not marks:
        return ""
    dagger, letters = (marks[0], marks[1:]) if marks[0] in _IN_LATEX else ("", marks)
    named = f"\\mathrm{{{letters}}}" if letters else ""
    return f"$^{{{_IN_LATEX.get(dagger, '')}{named}}}$"


def _heads(comparison: Comparison) -> list[str]:
    """What stands over labels, which only differences of all pairs need, and over names."""
    return ["", "run"] if comparison.baseline is None else ["run"]


def _rows(comparison: Comparison, digits: int) -> Iterable[tuple[list[str], list[_Cell]]]:
    """Each run's label and name, and for each measure the cell."""
    means, runs = comparison.means, comparison.runs
    labels = {run: label(at) for at, run in enumerate(runs)}
    texts = comparison.shown or {key: f"{mean:.{digits}f}" for key, mean in means.items()}
    best = {}
    for measure in comparison.measures:
        choose = min if measure in comparison.lower else max
        if with_mean := [run for run in runs if (run, measure) in means]:
            best[measure] = texts[choose(with_mean, key=lambda run: means[run, measure]), measure]
    marks, changes = _marks(comparison, labels), comparison.changes or {}
    for run in runs:
        cells = [
            _Cell(
                texts.get((run, measure), ""),
                (run, measure) in texts and texts[run, measure] == best[measure],
                marks.get((run, measure), ""),
                _percent(changes.get((run, measure))),
            )
            for measure in comparison.measures
        ]
        name = comparison.name(run)
        yield [labels[run], name] if comparison.baseline is None else [name], cells


def _percent(change: float | None) -> str:
    return "" if change is None else f"{change:+.1f}%"


def _marks(comparison: Comparison, labels: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """By run and measure the daggers, then the labels of the runs that it outdoes where all pairs were compared."""
    outdone, base = comparison.outdone, comparison.dagger_run
    found = {key: BETTER for key, worse in outdone.items() if base in worse}
    found |= {(run, measure): WORSE for (key, measure), worse in outdone.items() if key == base for run in worse}
    if comparison.baseline is None:
        for key, worse in outdone.items():
            found[key] = found.get(key, "") + ",".join(labels[run] for run in labels if run in worse)
    return found
