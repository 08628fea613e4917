"""``evalsql gate``, ``history`` and ``diff``: rules for a run, a system over time, two runs."""

from __future__ import annotations

import re
import shlex
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from evalsql.catalog.measure_names import Measure, names_of_counts, parse_measures
from evalsql.cli.access import AskingScores
from evalsql.cli.chart_curve import LookOptions
from evalsql.cli.options import Measures, QrelsFilter, RunFilters, complete_runs, complete_systems, grouped_options
from evalsql.cli.output import OutputOptions, note, write_bytes, write_table
from evalsql.database.names import resolve_one
from evalsql.errors import JOIN_RUN, EvalsqlError, UsageError
from evalsql.evaluation import gate_decision as gates
from evalsql.evaluation.gate_rules import (
    COMPARING,
    EXTENSIONS,
    Figures,
    Rule,
    parse_rules,
    read_figures,
    read_rules,
    text_of,
)
from evalsql.evaluation.listings import MOST_TOPICS, document_changes_query, history_query, topic_changes_query
from evalsql.evaluation.selection import latest_run
from evalsql.phrases import counted
from evalsql.report import charts
from evalsql.report.charts import MOST_LINES, best_systems, history_chart
from evalsql.report.table import Table
from evalsql.warehouse.warehouse import Warehouse

SAYS_NO = 1
LATEST = "latest"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_COLUMNS = ("rule", "value", "limit", "p", "verdict", "note")


class _Asked(NamedTuple):
    """What the command line and the file of rules say together; ``folder`` is that of the file."""

    rules: Sequence[Rule]
    measures: Sequence[str]
    baseline: str | None
    folder: Path


@grouped_options
def gate(
    candidate: Annotated[str, typer.Argument(help="The run that is judged.")],
    baseline: Annotated[
        str | None,
        typer.Option(
            help="A run; a JSON or TOML file of figures that --update-baseline wrote; latest, the run of the "
            "candidate's system before it; latest:main, the same of runs with --meta branch=main.",
            metavar="BASE",
        ),
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            help='"nDCG@10 >= 0.45", "nDCG@10 drop <= 0.01", "AP not worse at p < 0.05", "topic T07 in first 10" or '
            '"missing topics <= 0"; can be repeated.',
            metavar="RULE",
        ),
    ] = None,
    rules: Annotated[
        Path | None, typer.Option(help="TOML file with rules, and perhaps measure-file and baseline.", metavar="FILE")
    ] = None,
    update_baseline: Annotated[
        Path | None,
        typer.Option(help="Write the run's figures to this JSON or TOML file; nothing is decided.", metavar="FILE"),
    ] = None,
    junit_file: Annotated[
        Path | None, typer.Option("--junit", help="Write the verdicts as JUnit XML too.", metavar="FILE")
    ] = None,
    *,
    qrels: Annotated[
        str | None, typer.Option(help="Judgment set, where several evaluate the run.", metavar="NAME")
    ] = None,
    output: OutputOptions,
    asking: AskingScores,
) -> None:
    """Hold a run to rules, so that a build stops.

    Rules are floors, drops below a baseline, one-sided paired t tests (Holm's correction) and topics.

    That it has documents, judged ones among them, and misses no topic is always a rule. Ends with 0 if all rules
    hold, 1 if one does not, 2 if that cannot be decided.

    Example: evalsql gate dense --baseline bm25 --rule "AP drop <= 0.1"
    """
    with _errors_in(junit_file, candidate):
        asked = _asked(rule or (), rules, baseline, asking.paths)
        with asking.open(asked.measures) as warehouse:
            if update_baseline is not None:
                if baseline is not None:
                    raise UsageError("--update-baseline writes a baseline and compares with none; leave --baseline out")
                _update(warehouse, candidate, asked, qrels, update_baseline)
                return
            base = _figures(warehouse, asked, candidate)
            decision = gates.decide(warehouse.evaluation, candidate, asked.rules, baseline=base, qrels=qrels)
            if junit_file is not None:
                write_bytes(_junit_xml(candidate, decision.verdicts), junit_file, warehouse)
            write_table(_table(decision), output, warehouse)
    _tell(decision)
    if not decision.passes:
        raise typer.Exit(SAYS_NO)


@contextmanager
def _errors_in(junit_file: Path | None, candidate: str) -> Iterator[None]:
    """Write what kept the gate from a decision as JUnit XML too, so that no older file passes for it."""
    try:
        yield
    except EvalsqlError as error:
        if junit_file is not None:
            write_bytes(_junit_xml(candidate, [], str(error)), junit_file)
        raise


def _asked(given: Sequence[str], file: Path | None, baseline: str | None, measures: Sequence[str]) -> _Asked:
    asked = _Asked(parse_rules(given), measures, baseline, Path())
    if file is not None:
        held = read_rules(file)
        folder = Path() if baseline is not None else file.parent
        asked = _Asked([*held.rules, *asked.rules], [*held.measure_files, *measures], baseline or held.baseline, folder)
    if not asked.rules:
        raise UsageError("there is no rule; give --rule or --rules FILE")
    return asked


def _figures(warehouse: Warehouse, asked: _Asked, candidate: str) -> str | Figures | None:
    """The baseline: a run that is held, the latest one before the candidate, or a file of figures."""
    name = asked.baseline
    if name is None or warehouse.rows("select 1 from runs where run = ?", [name]):
        return name
    if name == LATEST or name.startswith(f"{LATEST}:"):
        if name == f"{LATEST}:":
            raise UsageError(
                f'--baseline "{name}" ends in a colon, without a branch or a condition; expected {LATEST}:main'
            )
        run = resolve_one(warehouse.database, "run", candidate)
        return latest_run(warehouse.database, name.partition(":")[2].strip(), run)
    if Path(name).suffix.lower() not in EXTENSIONS:
        return name
    return read_figures(asked.folder / name)


def _update(warehouse: Warehouse, candidate: str, asked: _Asked, qrels: str | None, path: Path) -> None:
    """Write the figures of the measures that rules compare, if the run is whole."""
    compared = [rule for rule in asked.rules if rule.kind in COMPARING]
    if not compared:
        raise UsageError('no rule compares with a baseline; one such as "nDCG@10 drop <= 0.01" names what to write')
    checks = [rule for rule in asked.rules if rule.kind == "missing"]
    decision = gates.decide(warehouse.evaluation, candidate, checks, qrels=qrels)
    if not decision.passes:
        _tell(decision)
        note(f"{path}: not written")
        raise typer.Exit(SAYS_NO)
    named = gates.baseline_measures(compared, warehouse.evaluation)
    figures = gates.measured(warehouse.evaluation, candidate, named, qrels=qrels)
    write_bytes(text_of(figures, path).encode(), path, warehouse)
    num_topics = len(figures.measures[named[0].name])
    note(f"{path}: {counted(len(named), 'measure')} of {figures.run} on {counted(num_topics, 'topic')}")


def _table(decision: gates.Decision) -> Table:
    return Table(_COLUMNS, [_row(verdict) for verdict in decision.verdicts])


def _row(verdict: gates.Verdict) -> tuple[object, ...]:
    rule = verdict.rule
    numbers: list[float | int | None] = [verdict.value, rule.bound]
    if rule.is_count:
        numbers = [None if number is None else int(number) for number in numbers]
    return rule.text, *numbers, verdict.p, "passes" if verdict.passes else "fails", verdict.note


def _failure(verdict: gates.Verdict) -> str:
    """Why a rule does not hold, in a line."""
    _, value, limit, *_ = _row(verdict)
    if value is None:
        return verdict.note
    figure = "corrected p" if verdict.rule.kind == "test" else "value"
    number = f"{value:.4g}" if isinstance(value, float) else value
    return f"{figure} {number} is not {verdict.rule.comparison} {limit}"


def _tell(decision: gates.Decision) -> None:
    """The verdict, the broken rules and the topics that made the difference, on standard error."""
    failed = [verdict for verdict in decision.verdicts if not verdict.passes]
    against = f" against {decision.baseline}" if decision.baseline else ""
    broken = f"rules that fail: {len(failed)} of {len(decision.verdicts)}" if failed else "all rules hold"
    note(f"{decision.candidate}{against} ({decision.qrels}): {broken}")
    for verdict in failed:
        more = f"; {verdict.note}" if verdict.value is not None and verdict.note else ""
        note(f"  {verdict.rule.text}: {_failure(verdict)}{more if verdict.rule.kind not in COMPARING else ''}")
    for measure in dict.fromkeys(drop.measure for drop in decision.drops):
        note(f"  {measure}: {gates.lost_topics(decision.drops, measure)}")
    for text in decision.notes:
        note(f"  {text}")


def _junit_xml(candidate: str, verdicts: Sequence[gates.Verdict], error: str = "") -> bytes:
    """JUnit XML, which continuous integration shows: a test case for each rule, an error where none was decided."""
    failed = sum(not verdict.passes for verdict in verdicts)
    counts = {"tests": str(len(verdicts) or 1), "failures": str(failed), "errors": str(int(bool(error)))}
    root = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(root, "testsuite", {"name": _xml_text(f"evalsql gate {candidate}"), **counts})
    for verdict in verdicts:
        name = _xml_text(verdict.rule.text)
        case = ElementTree.SubElement(suite, "testcase", {"classname": "evalsql.gate", "name": name})
        if not verdict.passes:
            failure = ElementTree.SubElement(case, "failure", {"message": _xml_text(_failure(verdict))})
            failure.text = _xml_text(verdict.note)
    if error:
        case = ElementTree.SubElement(suite, "testcase", {"classname": "evalsql.gate", "name": "the gate can decide"})
        ElementTree.SubElement(case, "error", {"message": _xml_text(error)})
    ElementTree.indent(root)
    return bytes(ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"


def _xml_text(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


_MEASURES = ("nDCG@10",)


@grouped_options
def history(
    *,
    systems: Annotated[
        list[str] | None,
        typer.Argument(autocompletion=complete_systems, help="Systems, or globs of names; all by default."),
    ] = None,
    filters: RunFilters,
    qrels: QrelsFilter = None,
    measure: Measures = None,
    look: LookOptions,
    output: OutputOptions,
    asking: AskingScores,
) -> None:
    """A system over time: means, intervals and what changed.

    The column changed says where judgments, the SQL of a figure or the system's version are others than of the run
    before. All figures are by the judgments in use. An output .png, .svg, .pdf or .html is a chart.

    Example: evalsql history hybrid -m nDCG@10 --last 30
    """
    is_chart = output.path is not None and output.format is None and output.path.suffix.lower() in charts.EXTENSIONS
    if not is_chart:
        _ = output.chosen_format  # an unknown extension is refused before the work
    with asking.open() as warehouse:
        named = parse_measures(measure or _MEASURES, warehouse.catalog)
        query = history_query(
            warehouse.evaluation, measure or _MEASURES, choice=filters.choice((), systems or ()), qrels=qrels or ()
        )
        counts = names_of_counts(named)
        table = Table(*warehouse.database.table(query), counts)
        if not table.rows:
            raise UsageError(f"no judgment set evaluates these runs; {JOIN_RUN}")
        if is_chart and output.path is not None:
            shown, appearance = _few(history_chart(table), named[0], systems, look.lines), look.appearance(warehouse)
            drawn = charts.draw("history", shown, output.path.suffix.lower(), look=appearance)
            write_bytes(drawn, output.path, warehouse)
        else:
            write_table(_shown(table) if output.is_text else table, output, warehouse)
    _note_changes(table)


def _few(table: Table, measure: Measure, systems: list[str] | None, lines: int | None) -> Table:
    """The rows of as many systems as a chart can show; of all where they are named one by one."""
    held = {str(row[table.columns.index("system")]) for row in table.rows}
    if lines is None and systems and held >= {*systems}:
        return table
    shown, notes = best_systems(table, measure, lines or MOST_LINES)
    for text in notes:
        note(text)
    return shown


def _shown(table: Table) -> Table:
    """The table where people read it: without the digest, of which the column changed tells where it is another."""
    return Table(table.columns[:-1], [row[:-1] for row in table.rows], table.counts)


def _note_changes(table: Table) -> None:
    """Tell what may mislead: figures of several judgments or of other SQL in one table."""
    columns = list(table.columns)
    found = {name: {row[columns.index(name)] for row in table.rows} for name in ("qrels", "sql_digest")}
    if len(found["qrels"]) > 1:
        note(f"figures by {counted(len(found['qrels']), 'judgment set')}: compare within one only")
    if len(found["sql_digest"]) > 1:
        note("figures made by different SQL stand in one table; sql in the column changed marks where")
    marks = [str(row[columns.index("changed")] or "") for row in table.rows]
    if any("judgments" in mark for mark in marks):
        note("judgments were replaced meanwhile; all figures are by those named, older reports had others")


@grouped_options
def diff(
    *,
    run: Annotated[str, typer.Argument(autocompletion=complete_runs, help="The run before.")],
    other: Annotated[str, typer.Argument(autocompletion=complete_runs, help="The run after.")],
    documents: Annotated[
        bool, typer.Option("--documents", "-d", help="The documents that moved, of the topics that differ most.")
    ] = False,
    topic: Annotated[
        list[str] | None, typer.Option("--topic", metavar="NAME", help="Only this topic; can be repeated.")
    ] = None,
    most: Annotated[
        int | None,
        typer.Option(
            "--most", min=1, metavar="N", help=f"So many topics; all by default, {MOST_TOPICS} with --documents."
        ),
    ] = None,
    depth: Annotated[int, typer.Option(min=1, help="Documents among the first so many of either run.")] = 10,
    qrels: QrelsFilter = None,
    measure: Measures = None,
    output: OutputOptions,
    asking: AskingScores,
) -> None:
    """What is different between two runs: topics and documents.

    Topics are those on which a measure differs, the largest differences first. With --documents the documents that
    stand at another rank are listed, relevant ones first.

    Example: evalsql diff bm25 dense -m nDCG@10 --documents
    """
    with asking.open() as warehouse:
        query = topic_changes_query(
            warehouse.evaluation, run, other, measure or _MEASURES, qrels=qrels or (), topics=topic or ()
        )
        columns, rows = warehouse.database.table(query)
        wanted = most or (MOST_TOPICS if documents else len(rows))
        table = Table(columns, rows[:wanted])
        if documents:
            pairs = list(dict.fromkeys((str(judged), str(name)) for judged, _, name, *_ in table.rows))
            moved = document_changes_query(warehouse.evaluation, run, other, pairs, depth=depth)
            table = Table(*warehouse.database.table(moved))
        write_table(table, output, warehouse)
    shown = f"{wanted} of " if wanted < len(rows) else ""
    note(f"{shown}{counted(len(rows), 'difference')} by topic, of {other} less {run}")
    if rows and not documents:
        asked = [run, other, *(("-m", ",".join(measure)) if measure else ())]
        note(f"evalsql diff {shlex.join(asked)} --documents names the documents that moved")
