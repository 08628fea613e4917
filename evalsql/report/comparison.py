"""Systems by measures with the significant differences between them: a table for a paper, Markdown or LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from string import ascii_lowercase
from typing import Any, NamedTuple, TextIO

from evalsql.report.markup import escape_latex, escape_markdown

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


class Comparison(NamedTuple):
    """Compared pairs of one judgment set as ``Warehouse.compare`` gives them, each by column.

    ``measures`` is their order; p values corrected below ``alpha`` are significant. ``otherwise`` names measures that a
    leaderboard averages in another way, and that way; ``lower`` those where less is better. ``shown`` has the texts of
    means that are to stand in a table in the place of the pairs' own.
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

    @property
    def means(self) -> dict[tuple[str, str], float]:
        """By run and measure."""
        found = {(pair["baseline"], pair["measure"]): pair["baseline_mean"] for pair in self.pairs}
        return found | {(pair["run"], pair["measure"]): pair["mean"] for pair in self.pairs}

    @property
    def runs(self) -> list[str]:
        """Best by the first measure on top."""
        means = self.means
        names = {run for run, _ in means}
        sign = 1 if self.measures[0] in self.lower else -1
        return sorted(names, key=lambda run: (sign * means[run, self.measures[0]], run))

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
    def caption(self) -> str:
        topics = sorted({pair["num_topics"] for pair in self.pairs})
        span = f"{topics[0]}" if len(topics) == 1 else f"{topics[0]} to {topics[-1]}"
        text = (
            f"Means over {span} topics of {self.qrels}; the best in bold. A superscript names the systems that are "
            f"significantly worse ({self.how})."
        )
        return " ".join([text, *self.notes])

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


def write_markdown(comparisons: Iterable[Comparison], stream: TextIO, digits: int) -> None:
    """A pipe table each, its caption below."""
    for comparison in comparisons:
        columns = ["", "run", *(escape_markdown(measure) for measure in comparison.measures)]
        stream.write(f"| {' | '.join(columns)} |\n")
        stream.write(f"| {' | '.join(['---', '---'] + ['---:'] * len(comparison.measures))} |\n")
        for letters, run, cells in _rows(comparison, digits):
            shown = (
                (f"**{text}**" if best else text) + (f"<sup>{worse}</sup>" if worse else "")
                for text, best, worse in cells
            )
            stream.write(f"| {' | '.join([letters, escape_markdown(run), *shown])} |\n")
        stream.write(f"\n{escape_markdown(comparison.caption)}\n\n")


def write_latex(comparisons: Iterable[Comparison], stream: TextIO, digits: int) -> None:
    """A table float each, in booktabs."""
    for comparison in comparisons:
        head = " & ".join(["", "run", *(escape_latex(measure) for measure in comparison.measures)])
        stream.write(f"\\begin{{table}}\n\\caption{{{escape_latex(comparison.caption)}}}\n")
        stream.write(f"\\begin{{tabular}}{{ll{'l' * len(comparison.measures)}}}\n\\toprule\n{head} \\\\\n\\midrule\n")
        for letters, run, cells in _rows(comparison, digits):
            shown = (
                (f"\\textbf{{{text}}}" if best else text) + (f"$^{{\\mathrm{{{worse}}}}}$" if worse else "")
                for text, best, worse in cells
            )
            stream.write(f"{' & '.join([letters, escape_latex(run), *shown])} \\\\\n")
        stream.write("\\bottomrule\n\\end{tabular}\n\\end{table}\n")


def _rows(comparison: Comparison, digits: int) -> Iterable[tuple[str, str, list[tuple[str, bool, str]]]]:
    """Each run's label, name, and for each measure its mean as text, whether that is the best, whom it outdoes."""
    means, outdone, runs = comparison.means, comparison.outdone, comparison.runs
    labels = {run: label(at) for at, run in enumerate(runs)}
    texts = comparison.shown or {key: f"{mean:.{digits}f}" for key, mean in means.items()}
    best = {}
    for measure in comparison.measures:
        choose = min if measure in comparison.lower else max
        best[measure] = texts[choose(runs, key=lambda run: means[run, measure]), measure]
    for run in runs:
        cells = []
        for measure in comparison.measures:
            worse = outdone.get((run, measure), set())
            text = texts[run, measure]
            cells.append((text, text == best[measure], ",".join(labels[one] for one in runs if one in worse)))
        yield labels[run], run, cells
