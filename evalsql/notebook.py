"""``evalsql.Warehouse``: a warehouse with the verbs of the command line, whose results show themselves."""

import sys
import warnings
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from evalsql.catalog.measure_names import COMPARED_MEASURES, DEFAULT_MEASURES, Measure, names_of_less_is_better
from evalsql.database.names import Names, as_list
from evalsql.errors import InputWarning, UsageError
from evalsql.evaluation import boards, listings, notices
from evalsql.evaluation.explanation import DEPTH, explain
from evalsql.evaluation.gate_decision import baseline_meant, decide, run_meant
from evalsql.evaluation.gate_rules import parse_rules
from evalsql.evaluation.selection import default_measures
from evalsql.phrases import Progress, silent
from evalsql.report import charts, display
from evalsql.report.charts import Chart
from evalsql.report.comparison import Comparison, compare_runs
from evalsql.report.display import DIGITS, Decorate, Report, Shown, ShownDecision, ShownExplanation
from evalsql.report.page.report_data import ALPHA, gather_report
from evalsql.report.page.report_formats import check_sections
from evalsql.report.table import BETTER, WORSE
from evalsql.warehouse.open import WAIT, open_database
from evalsql.warehouse.own_measures import Sources
from evalsql.warehouse.warehouse import Warehouse

_CHOOSING = ("where", "since", "last", "system")


class NotebookWarehouse(Warehouse):
    """Runs, judgments and measures in one DuckDB file. Use ``evalsql.open`` to get one.

    Every method that takes names raises UsageError for unknown ones; every query raises QueryError with the
    engine's words. ``connection`` is the DuckDB connection, for whatever else SQL can do.

    ``leaderboard``, ``topics``, ``compare``, ``board``, ``gate``, ``explain``, ``chart`` and ``report`` are commands of
    these names, and what they give shows itself in a notebook. They have options in common:

        runs: names or globs; all by default.
        measures: names such as "nDCG@10", "AP(rel=2)", "P_5"; one string may hold several.
        qrels: names or globs of judgment sets; all by default.
        where, since, last, system: which runs are meant further: a condition such as "meta.branch = 'main'", a date,
            the number of the latest ones, and a system's name or several.
        sort: a column to sort by, with ``:asc`` or ``:desc`` behind it where its usual order is not meant.
        limit: the number of rows.
        digits: decimals that are shown; the rows have all.
    """

    def leaderboard(
        self,
        runs: Names = (),
        measures: Names = DEFAULT_MEASURES,
        *,
        qrels: Names = (),
        by: str | None = None,
        baseline: str | None = None,
        test: str = "t",
        correction: str = "holm",
        family: str = "measure",
        alpha: float = ALPHA,
        sort: str | None = None,
        limit: int | None = None,
        digits: int = DIGITS,
        **choosing: Any,
    ) -> Shown:
        """Systems by measures, ``qrels, run, <measure>...``: a row a run, the best by the first measure on top.

        Args:
            by: groups of topics to average apart, as in ``evaluate``.
            baseline: a run; a mark stands behind means that are significantly better or worse than its own.
            test, correction, family, alpha: how that is tested, as in ``compare``.
        """
        named, chosen = self.evaluation.named(measures), self._chosen(runs, choosing)
        names, notes = [each.name for each in named], self._notes(named, qrels, chosen)
        if by is not None:
            if baseline is not None:
                raise UsageError("a leaderboard by groups of topics has no baseline; leave out by or baseline")
            query = listings.groups_query(self.evaluation, by, names, qrels=qrels, runs=chosen)
            return self._shown(query, display.rows_table, digits, notes, named, sort=sort, limit=limit)
        compared: Sequence[Comparison] = ()
        if baseline is not None:
            how = {"test": test, "correction": correction, "family": family}
            _, _, compared = compare_runs(self, baseline, chosen, named, alpha=alpha, qrels=qrels, **how)
        query = self.evaluation.scores_query(names, qrels=qrels, runs=chosen)
        marked: dict[str, Any] = {"lower": names_of_less_is_better(named), "compared": compared}
        every = query if limit is not None else None
        decorate = partial(display.leaderboard_table, warehouse=self, query=every, **marked)
        told = [
            f"{one.qrels}: {BETTER} significantly better than {one.baseline}, {WORSE} significantly worse; {one.how}"
            for one in compared
        ]
        told += [f"{one.qrels}: {one.tested}" for one in compared if one.tested]
        return self._shown(query, decorate, digits, [*told, *notes], named, sort=sort, limit=limit)

    def topics(
        self,
        runs: Names = (),
        measures: Names = DEFAULT_MEASURES,
        *,
        qrels: Names = (),
        wide: bool = False,
        sort: str | None = None,
        limit: int | None = None,
        digits: int = DIGITS,
        **choosing: Any,
    ) -> Shown:
        """Values by topic, ``qrels, run, topic, measure, value``: a row for each run, topic and measure.

        Args:
            wide: a row for each topic and measure, and a column for each run: ``qrels, measure, topic, <run>...``.
        """
        named, chosen = self.evaluation.named(measures), self._chosen(runs, choosing)
        names, notes = [each.name for each in named], self._notes(named, qrels, chosen, by_topic=True)
        decorate: Decorate = display.rows_table
        if not wide:
            query = self.evaluation.scores_query(names, per_topic=True, qrels=qrels, runs=chosen)
        else:
            query = listings.wide_query(self.evaluation, names, qrels=qrels, runs=chosen)
            decorate = partial(display.wide_table, lower=names_of_less_is_better(named))
        return self._shown(query, decorate, digits, notes, named, sort=sort, limit=limit)

    def compare(
        self,
        baseline: str | None,
        runs: Names = (),
        measures: Names = COMPARED_MEASURES,
        *,
        qrels: Names = (),
        alpha: float = ALPHA,
        sort: str | None = None,
        limit: int | None = None,
        digits: int = DIGITS,
        **options: Any,
    ) -> Shown:
        """Runs beside a baseline, or all pairs where that is None: how they differ and how surely.

        Columns are those of ``evalsql compare``: means, difference, interval, p values, topics won, tied and lost.

        Args:
            alpha: the level of the corrected p below which a difference is marked.
            options: test, correction, family, tolerance, confidence, intervals, samples and seed; and what says which
                runs are meant.
        """
        choosing = {name: options.pop(name) for name in _CHOOSING if name in options}
        named, chosen = self.evaluation.named(measures), self._chosen(runs, choosing)
        query, _, compared = compare_runs(self, baseline, chosen, named, alpha=alpha, qrels=qrels, **options)
        told = [f"{one.qrels}: {text}" for one in compared for text in filter(None, (one.how, one.tested, *one.notes))]
        notes = [*told, *self._notes(named, qrels, chosen, by_topic=True)]
        decorate = partial(display.comparison_table, alpha=alpha, lower=names_of_less_is_better(named))
        return self._shown(query, decorate, digits, notes, named, sort=sort, limit=limit)

    def board(
        self,
        systems: Names = (),
        measure: str = DEFAULT_MEASURES[0],
        *,
        sort: str | None = None,
        limit: int | None = None,
        digits: int = DIGITS,
        **options: Any,
    ) -> Shown:
        """Systems over many collections: means, and places with bootstrap intervals, as ``evalsql board`` has them.

        Args:
            options: of the command baseline, collections, qrels, where, mean, missing, versions, draw, intervals,
                confidence, samples and seed; and clusters, a mapping from collections to what they belong to.
        """
        found = boards.board(self.evaluation, systems, measure, **options)
        shown: Decorate = display.pairs_table if options.get("baseline") else display.board_table
        decorate = partial(shown, collections=found.collections, lower=found.lower)
        query = listings.arranged(self.database, found.query, sort=sort, limit=limit, lower=found.lower)
        return Shown(self.sql(query), decorate, digits, found.notes, path=self.path)

    def gate(
        self,
        candidate: str,
        rules: Names,
        *,
        baseline: str | None = None,
        qrels: str | None = None,
        family: str = "measure",
    ) -> ShownDecision:
        """Whether a run is good enough, as ``evalsql gate`` decides: ``passes`` is the answer.

        Args:
            candidate: a run; "latest" is the newest one, "latest:main" that with branch=main in its meta.
            rules: sentences such as "nDCG@10 >= 0.45", "nDCG@10 drop <= 5%" or "AP not worse at p < 0.05".
            baseline: a run, "latest" for the one of the candidate's system before it, or a file of figures.
            qrels: judgment set, where several evaluate the run.
            family: what p of rules that test is corrected over: "measure", or "all" that test.
        """
        run, asked = run_meant(self.database, candidate), parse_rules(as_list(rules), lambda _: "rules")
        base = baseline_meant(self.database, baseline, run)
        return ShownDecision(*decide(self.evaluation, run, asked, baseline=base, qrels=qrels, family=family))

    def explain(
        self,
        run: str,
        topic: str | int,
        *,
        measure: str = DEFAULT_MEASURES[0],
        other: str | None = None,
        qrels: str | None = None,
        depth: int = DEPTH,
        digits: int = DIGITS,
    ) -> ShownExplanation:
        """What each document of a ranking contributes to a measure, and what the ideal ranking would have given.

        A document contributes the value of the list down to it less that of the list above it; with the value of the
        empty list they add up to that of the whole list.

        Args:
            other: a run to compare with: rows are the documents that made the difference then.
            qrels: judgment set, where the run is evaluated with several.
            depth: how many documents to explain; what the others contribute is in the answer as one number.
        """
        found = explain(self.evaluation, run, str(topic), measure=measure, other=other, qrels=qrels, depth=depth)
        notes = notices.explanation_lines(found, depth, digits, "depth=")
        rows = Shown(found.rows, display.explanation_table, digits, notes, counts=found.counts)
        return ShownExplanation(*found)._replace(rows=rows)

    def chart(
        self,
        name: str,
        runs: Names = (),
        measures: Names = DEFAULT_MEASURES,
        *,
        qrels: str | None = None,
        baseline: str | None = None,
        lines: int | None = None,
        width: int | None = None,
        height: int | None = None,
        title: str | None = None,
        **choosing: Any,
    ) -> Chart:
        """A chart, by the name that ``evalsql chart`` has for it, such as "pr" or "topics".

        Args:
            qrels: judgment set, where there are several.
            baseline: the run that is compared with (differences, histogram, scatter).
            lines: so many systems at most; by default eight where each has a line.
            width, height, title: pixels, and what stands above; an empty title is none.
        """
        names, chosen = [each.name for each in self.evaluation.named(measures)], self._chosen(runs, choosing)
        if name not in charts.NAMES:
            raise UsageError(f'there is no chart "{name}"; there are: {", ".join(charts.NAMES)}')
        look: dict[str, Any] = {"width": width, "height": height, "title": title}
        return charts.drawing(self, name, names, qrels=qrels, runs=chosen, baseline=baseline, lines=lines, **look)

    def report(
        self,
        runs: Names = (),
        measures: Names = (),
        *,
        qrels: str | None = None,
        baseline: str | None = None,
        family: str = "measure",
        title: str = "",
        shown: Sequence[str] = (),
        without: Sequence[str] = (),
        digits: int | None = None,
        output: str | Path | None = None,
        **choosing: Any,
    ) -> Report:
        """A report of systems on one judgment set, as a page in the notebook, and as a file.

        Args:
            qrels, baseline, title: judgment set, where there are several; a run to compare with; what stands above.
            family: which comparisons are corrected together, as in ``compare``.
            shown, without: names of sections to have beside the usual ones (``--with``), and to leave out.
            output: a file to write at once, as ``.save`` of the report does.
        """
        check_sections({"shown": shown, "without": without})
        asked: dict[str, Any] = {"qrels": qrels, "runs": self._chosen(runs, choosing), "baseline": baseline}
        asked |= {"family": family, "title": title, "shown": shown, "without": without}
        measures = measures or default_measures(self.database, qrels or ())
        gather = partial(gather_report, self, measures, **asked)
        made = Report(gather, digits)
        if output is not None:
            made.save(output)
        return made

    def _chosen(self, runs: Names, choosing: dict[str, Any]) -> Names:
        """Names or globs of the runs that are meant; empty is all."""
        if unknown := [name for name in choosing if name not in _CHOOSING]:
            raise UsageError(f"there is no option {unknown[0]}; which runs are meant say {', '.join(_CHOOSING)}")
        given = {name: value for name, value in choosing.items() if value not in (None, ())}
        if not given:
            return runs
        if "system" in given:
            given["systems"] = as_list(given.pop("system"))
        return self.choose_runs(runs, **given)

    def _notes(self, named: Sequence[Measure], qrels: Names, runs: Names, *, by_topic: bool = False) -> list[str]:
        """What the command line says beside the same rows."""
        evaluation, sets, names = self.evaluation, as_list(qrels), as_list(runs)
        noticed = notices.on_figures(evaluation, named, sets, names)
        cuts = notices.on_thresholds(evaluation, named, sets, names)
        tied = None if by_topic else notices.on_ties(evaluation, named[0], sets, names)
        lines = (notices.on_waiting(evaluation, names), *(each.text for each in noticed), *cuts, tied)
        return [line for line in lines if line]

    def _shown(
        self, query: str, decorate: Decorate, digits: int, notes: Sequence[str], named: Sequence[Measure], **how: Any
    ) -> Shown:
        """The rows of a query, sorted and limited as the options say."""
        asked = listings.arranged(self.database, query, lower=listings.lower_columns(named), **how)
        counts = frozenset(measure.name for measure in named if measure.is_count)
        return Shown(self.sql(asked), decorate, digits, notes, counts=counts, path=self.path)


def open(
    path: str | Path | None = None,
    *,
    read_only: bool = False,
    measures: Sources = (),
    memory_limit: str | None = None,
    wait: float = WAIT,
    progress: Progress = silent,
    external_access: bool | None = None,
    token: str | None = None,
) -> NotebookWarehouse:
    """Open a warehouse, making the file if there is none.

    Args:
        path: the file; by default ``EVALSQL_DB``, else ``./evalsql.duckdb``. ":memory:" keeps it in memory,
            "quack:HOST:PORT" is one that ``evalsql serve`` holds.
        read_only: leave the file as it is.
        measures: relation files, or folders of them, to have beside those of the file while it is open.
        memory_limit: how much memory the process may take, such as "1GB" or "512MiB"; by default most of what the
            machine has. The engine gets three fifths of it. What does not fit goes to disk: into a folder beside the
            file, or where that is open for reading only, or there is none, where temporary files are.
        wait: for how many seconds to try again while another process has the file locked.
        progress: called with (stage, done, total) while views are made, where the user's cache has none.
        external_access: whether SQL may read and write other files and load extensions. By default it may unless the
            file defines relations of others, which a warning names.
        token: what a server knows the client by; by default ``EVALSQL_TOKEN``.

    Raises:
        UsageError: the limit is no size.
        WarehouseError: the file cannot be opened, is locked, is no warehouse, or was made by a newer version.
        CatalogError: a relation does not hold to the contract; the message names file and line.
    """
    how: dict[str, Any] = {"read_only": read_only, "memory_limit": memory_limit, "wait": wait, "progress": progress}
    how |= {"external_access": external_access, "token": token}
    return NotebookWarehouse(open_database(path, measures=measures, **how))


def _show_warnings_as_output() -> None:
    """Have what an InputWarning says below its cell, as a kernel shows warnings as blocks in red."""
    show_others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *where: Any, **how: Any) -> None:
        if issubclass(category, InputWarning):
            print(message)
        else:
            show_others(message, category, *where, **how)

    warnings.showwarning = show


if "ipykernel" in sys.modules:
    _show_warnings_as_output()
