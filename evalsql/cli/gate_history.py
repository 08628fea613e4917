"""``evalsql gate``, ``history`` and ``diff``: rules for a run, a system over time, two runs."""

import shlex
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from evalsql.catalog.measure_names import names_of_counts, parse_measures
from evalsql.cli.declare import Names, argument, command, flag, option
from evalsql.cli.options import FAMILY, MEASURES, QRELS, WORDS, AskingRankingsAndScores, Family, RunFilters
from evalsql.cli.output import READ, SAYS_NO, OutputOptions, coverage_lines, note, with_words, write_file, write_table
from evalsql.cli.reports_charts import LookOptions
from evalsql.conformance import check
from evalsql.database.names import how_to_judge
from evalsql.errors import EvalsqlError, UsageError
from evalsql.evaluation import gate_decision as gates
from evalsql.evaluation import gate_rules
from evalsql.evaluation.explanation import OF_NO_DOCUMENTS
from evalsql.evaluation.listings import MOST_TOPICS, document_changes_query, history_query, topic_changes_query
from evalsql.evaluation.notices import on_waiting
from evalsql.evaluation.selection import default_measures
from evalsql.phrases import counted
from evalsql.report import charts
from evalsql.report.html import NOT_IN_XML
from evalsql.report.table import Table
from evalsql.report.terminal import DroppedColumns
from evalsql.warehouse.warehouse import Warehouse

_NOTE = 60  # cells of a note
_DROPPED = DroppedColumns(("num_topics", "qrels", "measure", "system"), ("low", "high"))


@command
def gate(
    *,
    candidate: str = argument(
        "The run that is judged; latest is the newest, latest:main that with --meta branch=main, "
        "\"latest:system = 'hybrid'\" that of a system.",
        ...,
    ),
    baseline: str | None = option(
        "--baseline BASE",
        "A run; a JSON or TOML file of figures that --update-baseline wrote; latest, the run of the "
        "candidate's system before it; latest:main, the same of runs with --meta branch=main.",
    ),
    rule: Names = option("--rule RULE", f"{gate_rules.FORMS}; can be repeated."),
    rules: Path | None = option("--rules FILE", "TOML file with rules, and perhaps measure-file and baseline."),
    update_baseline: Path | None = option(
        "--update-baseline FILE", "Write the run's figures to JSON or TOML; decide nothing."
    ),
    junit_file: Path | None = option("--junit FILE", "Write the verdicts as JUnit XML too."),
    qrels: str | None = option("--qrels NAME", "Judgment set, where several evaluate the run."),
    family: Family = FAMILY,
    output: OutputOptions,
    asking: AskingRankingsAndScores,
) -> None:
    """Fail the build when a run breaks a rule.

    Rules are floors, drops below a baseline, one-sided paired t tests (Holm's correction) and topics; and always that
    the run has documents, judged ones among them, and misses no topic. Ends with 0 if all rules hold, 1 if one does
    not, 2 if that cannot be decided.

    Example: evalsql gate dense --baseline bm25 --rule "AP drop <= 0.1"
    """
    try:
        held, files, its_baseline = ([], [], None) if rules is None else gate_rules.read_rules(rules)
        every = [*held, *gate_rules.parse_rules(rule)]
        if not every:
            raise UsageError("there is no rule; give --rule or --rules FILE")
        with asking.open(measures=[*files, *asking.paths]) as warehouse:
            candidate = gates.run_meant(warehouse.database, candidate)
            if update_baseline is not None:
                if baseline is not None:
                    raise UsageError("--update-baseline writes a baseline and compares with none; leave --baseline out")
                _update(warehouse, candidate, every, qrels, update_baseline)
                return
            named, folder = (its_baseline, rules.parent) if rules and baseline is None else (baseline, Path())
            base = gates.baseline_meant(warehouse.database, named, candidate, folder)
            decision = gates.decide(warehouse.evaluation, candidate, every, baseline=base, qrels=qrels, family=family)
            if junit_file is not None:
                write_file(_junit_xml(candidate, decision.verdicts), junit_file, warehouse)
            rows = [verdict.row for verdict in decision.verdicts]
            rows = list(_folded(rows)) if output.chosen_format == "table" else rows
            write_table(Table(gates.COLUMNS, rows), output, warehouse)
    except EvalsqlError as error:
        if junit_file is not None:  # so that no older file passes for this decision
            write_file(_junit_xml(candidate, [], str(error)), junit_file)
        raise
    _note_decision(decision)
    if not decision.passes:
        raise typer.Exit(SAYS_NO)


def _folded(rows: Sequence[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Rows whose note goes on in further ones; logs of builds are read too."""
    for *cells, remark in rows:
        for each in textwrap.wrap(remark, _NOTE) or [""]:
            yield (*cells, each)
            cells = [None] * len(cells)


def _update(
    warehouse: Warehouse, candidate: str, every: Sequence[gate_rules.Rule], qrels: str | None, path: Path
) -> None:
    """Write the figures of the measures that rules compare, if the run is whole."""
    compared = [rule for rule in every if rule.kind in gate_rules.COMPARING and rule.statistic != "total"]
    if not compared:
        raise UsageError('no rule compares with a baseline; one such as "nDCG@10 drop <= 0.01" names what to write')
    checks = [rule for rule in every if rule.kind == "missing"]
    decision = gates.decide(warehouse.evaluation, candidate, checks, qrels=qrels)
    if not decision.passes:
        _note_decision(decision)
        note(f"{path}: not written")
        raise typer.Exit(SAYS_NO)
    figures = gates.measured(warehouse.evaluation, candidate, compared, qrels=qrels)
    write_file(gate_rules.text_of(figures, path), path, warehouse)
    num_topics = len(next(iter(figures.measures.values())))
    note(f"{path}: {counted(len(figures.measures), 'measure')} of {figures.run} on {counted(num_topics, 'topic')}")


def _failure(verdict: gates.Verdict) -> str:
    _, value, limit, *_ = verdict.row
    if value is None:
        return verdict.note
    number = value
    if isinstance(value, float):  # all digits where fewer read like the limit
        brief = f"{value:.4g}" if abs(value) < 1 else f"{value:.4f}"
        number = value if float(brief) == limit else brief
    return f"{verdict.figure} {number} is not {verdict.rule.comparison} {limit}"


def _note_decision(decision: gates.Decision) -> None:
    note(decision.summary)
    failed = [verdict for verdict in decision.verdicts if not verdict.passes]
    for verdict in failed:
        has_more = verdict.value is not None and verdict.note and verdict.rule.kind not in gate_rules.COMPARING
        note(f"  {verdict.rule.text}: {_failure(verdict)}" + (f"; {verdict.note}" if has_more else ""))
    note(*dict.fromkeys(f"  {drop.measure}: {drop.line}" for drop in decision.drops))
    note(*(f"  {text}" for text in decision.notes))


def _junit_xml(candidate: str, verdicts: Sequence[gates.Verdict], error: str = "") -> str:
    """JUnit XML, which continuous integration shows: a test case for each rule, an error where none was decided."""
    cases = [("the gate can decide", "error", error, "")] if error else []
    for verdict in verdicts:
        told = ("system-out" if verdict.note else "", "") if verdict.passes else ("failure", _failure(verdict))
        cases.append((verdict.rule.text, *told, verdict.note))
    text = check.junit(f"evalsql gate {candidate}", "evalsql.gate", cases)
    return NOT_IN_XML.sub("\ufffd", f"<?xml version='1.0' encoding='utf-8'?>\n{text}\n")


@command
def history(
    *,
    systems: Names = argument("Systems, or globs of names; all by default.", complete="systems"),
    filters: RunFilters,
    qrels: Names = QRELS,
    measure: Names = MEASURES,
    look: LookOptions,
    output: OutputOptions,
    asking: AskingRankingsAndScores,
) -> None:
    """A system over time: means, intervals and what changed.

    The column changed says where judgments, the SQL of a figure or the system's version are others than of the run
    before. All figures are by the judgments in use. An output .png, .svg, .pdf or .html is a chart.

    Example: evalsql history hybrid -m nDCG@10 --last 30
    """
    is_chart = output.format is None and output.path is not None and output.path.suffix.lower() in charts.EXTENSIONS
    form = "" if is_chart else output.chosen_format  # an unknown extension is refused before the work
    with asking.open() as warehouse:
        measures = measure or default_measures(warehouse.database, qrels)[:1]
        named = parse_measures(measures, warehouse.catalog)
        query = history_query(warehouse.evaluation, measures, choice=filters.choice(systems=systems), qrels=qrels)
        table = Table(*warehouse.database.table(query), names_of_counts(named))
        if not table.rows:
            waiting = on_waiting(warehouse.evaluation, warehouse.choose_runs(systems=systems))
            raise UsageError(waiting or f"no judgment set evaluates these runs; {how_to_judge(warehouse.database)}")
        covering = coverage_lines(warehouse, qrels, list(dict.fromkeys(table.values("run"))), named)
        if is_chart and output.path is not None:
            most = charts.most_lines(look.lines, systems, table.values("system"))
            drawn, notes = charts.best_systems(warehouse, query, table, named[0], most)
            note(*notes)
            look.write(warehouse, "history", drawn, output.path)
        else:
            # People read in the column changed where the digest, which is the last column, is another.
            read = table.without(len(table.columns) - 1) if form in READ else table
            write_table(read, output, warehouse, _DROPPED)
    if (num_sets := len({*table.values("qrels")})) > 1:
        note(f"figures by {counted(num_sets, 'judgment set')}: compare within one only")
    if len({*table.values("sql_digest")}) > 1:
        note("figures made by different SQL stand in one table; sql in the column changed marks where")
    if any("judgments" in (changed or "") for changed in table.values("changed")):
        note("judgments were replaced meanwhile; all figures are by those named, older reports had others")
    note(*covering)


@command
def diff(
    *,
    run: str = argument("The run.", ..., complete="runs"),
    other: str = argument("The run that is taken from it.", ..., complete="runs"),
    losses: bool = flag("--losses", "Only topics on which the run is below the other."),
    documents: bool = flag("--documents -d", "The documents that moved, of the topics that differ most."),
    topic: Names = option("--topic NAME", "Only this topic; can be repeated."),
    limit: int | None = option("--limit N", f"So many topics; all by default, {MOST_TOPICS} with --documents.", min=1),
    most: int | None = option("--most N", hidden=True, min=1),  # what it was called
    depth: int = option("--depth", "Documents among the first so many of either run.", 10, min=1),
    texts: bool = WORDS,
    qrels: Names = QRELS,
    measure: Names = MEASURES,
    output: OutputOptions,
    asking: AskingRankingsAndScores,
) -> None:
    """What is different between two runs: topics and documents.

    Topics are those on which a measure differs, the largest differences first; a difference is the run's value less
    that of the other. With --documents the documents that stand at another rank are listed, relevant ones first.

    Example: evalsql diff dense bm25 -m nDCG@10 --losses
    """
    if texts and not documents:
        raise UsageError("--texts says what documents say; it goes with --documents")
    with asking.open() as warehouse:
        how: dict[str, Any] = {"qrels": qrels, "topics": topic, "only_losses": losses}
        measures = measure or default_measures(warehouse.database, qrels)[:1]
        query = topic_changes_query(warehouse.evaluation, run, other, measures, **how)
        columns, rows = warehouse.database.table(query)
        wanted = limit or most or (MOST_TOPICS if documents else len(rows))
        table = Table(columns, rows[:wanted])
        if documents:
            pairs = list(dict.fromkeys((str(judged), str(name)) for judged, _, name, *_ in table.rows))
            moved = document_changes_query(warehouse.evaluation, run, other, pairs, depth=depth)
            table = Table(*warehouse.database.table(moved))
            table = with_words(warehouse, table) if texts else table
        write_table(table, output, warehouse)
        covering = coverage_lines(warehouse, qrels, [run, other])
    note(*covering)
    shown = f"{wanted} of " if wanted < len(rows) else ""
    note(f"{shown}{counted(len(rows), 'difference')} by topic, of {run} less {other}")
    if rows and not documents:
        (named, *_) = parse_measures(measures, warehouse.catalog)
        if reason := OF_NO_DOCUMENTS.get(named.relation.family):
            note(f"{named.name} {reason}")
            return
        asked = [run, other, *(("-m", ",".join(measure)) if measure else ())]
        note(f"evalsql diff {shlex.join(asked)} --documents names the documents that moved")
