"""``evalsql trec_eval``: prints what trec_eval 9.0.8 or 10.0 (Buckley, Soboroff) prints; the figures come from SQL."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import typer
from typer.core import TyperCommand

from evalsql.catalog import relations
from evalsql.catalog.measure_names import Measure, trec_measures, trec_names, unknown_measure
from evalsql.catalog.queries import ANSWERS, relation_query
from evalsql.catalog.relations import Catalog, read_catalog
from evalsql.cli.declare import Names, argument, command, flag, option
from evalsql.cli.measures_sql import print_page
from evalsql.cli.options import Where
from evalsql.cli.output import note, standard_output
from evalsql.database.database import MEMORY
from evalsql.errors import EvalsqlError, Problem, ProblemList, UsageError, input_error
from evalsql.ingest.base_rows import add_rows
from evalsql.literals import Value, literal
from evalsql.report.terminal import for_stream
from evalsql.warehouse.warehouse import Warehouse

# By the name of trec_eval's -R the form under which the judgments are loaded, and by form the group of its measures.
FORMATS = {"qrels": "grades", "qrels_jg": "groups", "prefs": "preferences", "qrels_prefs": "preferences"}
_GROUPS = {"grades": "official", "groups": "qrels_jg", "preferences": "prefs"}
_QRELS = "qrels"


class NoCommonTopicError(EvalsqlError):
    """The run has no topic of the judgments; trec_eval ends with 7."""

    exit_code = 7


@dataclass(frozen=True)
class Options:
    """trec_eval's options by their meaning."""

    per_topic: bool = flag("-q --query_eval_wanted", "Print every topic too.")
    complete: bool = flag("-c --complete_rel_info_wanted", "Average over all topics of the judgments.")
    level: int = option("-l --level_for_rel N", "Least grade that counts as relevant.", 1, min=0)
    depth: int | None = option("-M --Max_retrieved_per_topic N", "Evaluate so many documents a topic.", min=1)
    collection: int = option("-N --Number_docs_in_coll N", "Documents in the collection, for utility.", 0, min=0)
    judged_only: bool = flag("-J --Judged_docs_only", "Leave out what is not judged.")
    zscores: str | None = option("-Z --Zscore FILE", "Print distances from means given there.")
    judgments_format: Literal["qrels", "qrels_jg", "prefs", "qrels_prefs"] = option(
        "-R --Rel_info_format", "Format of the judgments.", "qrels"
    )
    version: Literal["9.0.8", "10.0"] = option("--version-profile", "The version to be like.", "9.0.8")
    measures: Names = option("-m --measure NAME", "NAME, NAME.VALUES or a group of names; can be repeated.")
    no_summary: bool = flag("-n --nosummary", "Do not print the summary.")

    @property
    def tie_rule(self) -> str:
        return "trec_eval_10" if self.version == "10.0" else "trec_eval"


class Row(NamedTuple):
    """One line of the printout: its name, the measure (None for runid, num_q and relstring), relstring's length."""

    name: str
    measure: Measure | None = None
    length: int = 10


def rows_wanted(texts: Iterable[str], catalog: Catalog, options: Options) -> list[Row]:
    """The rows of names such as P.5,10 and all_trec, in trec_eval's order; UsageError for all that do not fit."""
    marked, problems = marked_names(texts, options.version)
    rows: list[Row] = []
    for name, values in marked.items():
        try:
            rows += _rows(name, values, catalog, options)
        except UsageError as error:
            problems.append(str(error))
    if problems:
        raise UsageError("\n".join(problems))
    return rows


def marked_names(texts: Iterable[str], version: str) -> tuple[dict[str, str | None], list[str]]:
    """The measures that texts name, in trec_eval's order, with values behind the first dot; lines on unknown names."""
    known = [name for name in relations.TREC_ORDER if version == "10.0" or name not in relations.NEW_IN_10]
    marked: dict[str, str | None] = {}
    problems: list[str] = []
    for text in texts:
        name, dot, values = text.partition(".")
        if dot and not values:
            problems.append(f'"{text}": there is nothing behind the dot')
        elif name in relations.TREC_GROUPS:
            marked = dict.fromkeys(relations.TREC_GROUPS[name]) | marked
        elif name in known:
            marked[name] = marked.get(name) or values or None
        else:
            later = f"; {name} is new in 10.0, see --version-profile" if name in relations.NEW_IN_10 else ""
            problems.append(unknown_measure(text, {each: each for each in (*known, *relations.TREC_GROUPS)}) + later)
    return {name: marked[name] for name in known if name in marked}, problems


def _rows(name: str, values: str | None, catalog: Catalog, options: Options) -> list[Row]:
    if name in (relations.RUN_ID, relations.NUM_TOPICS):
        return [Row(name)]
    if name == relations.RELEVANCE_STRING:
        if values is not None and not values.isdigit():
            raise UsageError(f'"{name}.{values}": the length is a whole number')
        return [Row(f"{name}_{values}", length=int(values)) if values else Row(name)]
    named = trec_names(catalog)[name]
    form, family = FORMATS[options.judgments_format], named.relation.family
    if form != (family if family in _GROUPS else "grades"):
        of_format = f"cannot be calculated from judgments of format {options.judgments_format}"
        raise UsageError(f"{name} {of_format}; -m {_GROUPS[form]} names those that can")
    settings: dict[str, Value] = {"rel": options.level, "rounding": options.tie_rule}
    settings |= {"collection": options.collection, "judged_only": options.judged_only}
    # As trec_eval does, values behind a name that takes none are not looked at.
    values = values if named.alias.parameters else None
    rows = []
    for printed, measure in trec_measures(name if values is None else f"{name}.{values}", named, values):
        # A parameter that the name sets to null stays null: num_ret counts all documents, whatever the level.
        given = {key: each if each is None else settings.get(key, each) for key, each in measure.arguments.items()}
        rows.append(Row(printed, measure._replace(arguments=given)))
    return rows


def lines(warehouse: Warehouse, qrels: str, run: str, options: Options) -> Iterator[str]:
    """What trec_eval prints, of an empty warehouse; UsageError for measures that do not fit, NoCommonTopicError."""
    rows = rows_wanted(options.measures or ["official"], warehouse.catalog, options)
    reference = _read_zscores(options.zscores) if options.zscores else None
    _load(warehouse, qrels, run, options)
    ((num_topics, missing, tag),) = warehouse.rows(
        "select num_topics, missing_topics, tag from coverage join runs on runs.run = coverage.run"
    )
    every = options.complete and options.version == "10.0"
    if num_topics == missing and not every:
        raise NoCommonTopicError("no topic is both in the judgments and in the run")
    # One thread adds up each topic's values in the order of the ranking, as the C program does, and as it does
    # without compensation: where the true value ends in a half of the last digit, fsum rounds otherwise.
    warehouse.execute("set threads = 1")
    warehouse.execute("create or replace temp macro fsum(number) as sum(number)")
    _fill_answers(warehouse, rows, reference)
    inputs = {"scores": "select * from answers", "answered": ANSWERS, "measures": _means(rows)}
    averaged = ("all" if every else "padded") if options.complete else "retrieved"
    query = relation_query(warehouse.catalog, "mean_values", inputs, topics=averaged)
    whole = {int(at): value for at, value in warehouse.rows(f"select measure, value from ({query})")}
    for at, row in enumerate(rows):
        if row.name == relations.RUN_ID:
            whole[at] = (tag or "").partition(" ")[0]
        elif row.name == relations.NUM_TOPICS:
            whole[at] = num_topics if options.complete else num_topics - missing
        elif row.name == "num_rel" and options.complete:
            # trec_eval -c counts grades above 0 whatever its level.
            ((whole[at],),) = warehouse.rows("select sum(value) from num_rel()")
    printed: list[tuple[str, Mapping[int, str | float]]] = []
    if options.per_topic:
        by_topic = _by_topic(warehouse, rows)
        evaluated = "select topic from steps.evaluated_topics where $1 or not missing order by topic"
        printed += [(topic, by_topic.get(topic, {})) for (topic,) in warehouse.rows(evaluated, [every])]
    if not options.no_summary:
        printed.append(("all", whole))
    for topic, values in printed:
        for at, value in sorted(values.items()):
            if value is not None:
                yield _line(rows[at], topic, value, "" if reference is None else "Z")


def _line(row: Row, topic: str, value: str | float, mark: str) -> str:
    if isinstance(value, str):
        return f"{row.name:<22}\t{topic}\t{value}"
    is_count = row.name == relations.NUM_TOPICS or (row.measure is not None and row.measure.is_count)
    text = f"{int(value)}" if is_count and not mark else f"{value:6.4f}"
    return f"{mark}{row.name:<22}\t{topic}\t{text}"


def _load(warehouse: Warehouse, qrels: str, run: str, options: Options) -> None:
    form = FORMATS[options.judgments_format]
    warehouse.load_qrels(qrels, _QRELS, form=form)
    how: dict[str, Any] = {"tie_rule": options.tie_rule, "tells_remarks": False}  # trec_eval gives no such warnings
    # With groups each measure leaves out documents by its parameter judged_only, as every group judges others.
    how["judged_by"] = _QRELS if options.judged_only and options.judgments_format == "qrels" else None
    how["depth"] = None if form == "preferences" else options.depth
    warehouse.load_runs(run, name="run", **how)
    if form == "preferences" and options.depth is not None:
        # Where preferences are counted trec_eval breaks ties the other way round, before it cuts.
        warehouse.execute(f"delete from judged_ranks where first_rank + last_rank - rank > {options.depth}")


def _fill_answers(warehouse: Warehouse, rows: Sequence[Row], reference: Sequence[Sequence[object]] | None) -> None:
    """Put the values of all measures into the temporary table ``answers``, under the numbers of their rows."""
    warehouse.evaluation.fill_scores("answers", [(str(at), row.measure) for at, row in enumerate(rows) if row.measure])
    if reference is None:
        return
    columns = {"topic": "varchar", "name": "varchar", "mean": "double", "deviation": "double"}
    warehouse.database.make_empty("zscores", columns)
    add_rows(warehouse.database, "zscores", [*columns], reference)
    inputs = {"raw_scores": "select * from answers", "reference_scores": "select * from zscores"}
    scores = warehouse.database.query("z_scores", {**inputs, "measures": _means(rows)})
    warehouse.database.make("answers", scores)


def _means(rows: Sequence[Row]) -> str:
    listed = ", ".join(
        f"('{at}', {literal(row.measure.relation.header.mean)}, {literal(row.name)})"
        for at, row in enumerate(rows)
        if row.measure
    )
    return f"select * from (values {listed or '(null, null, null)'}) as means(measure, mean, name)"


def _by_topic(warehouse: Warehouse, rows: Sequence[Row]) -> dict[str, dict[int, str | float]]:
    """Values by topic and number of the row; trec_eval prints none where the mean is geometric."""
    values: dict[str, dict[int, str | float]] = {}
    for topic, at, value in warehouse.rows(
        f"select topic, measure, value from answers join ({_means(rows)}) using (measure) where mean <> 'geometric'"
    ):
        values.setdefault(topic, {})[int(at)] = value
    for at, row in enumerate(rows):
        if row.measure is None and row.name.startswith(relations.RELEVANCE_STRING):
            for topic, text in warehouse.rows(f"select topic, relstring from relstring(length := {row.length})"):
                values.setdefault(topic, {})[at] = f"'{text}'"
    return values


def _read_zscores(path: str) -> list[tuple[str, str, float, float]]:
    """Topic, measure, mean and standard deviation of each line; raises InputError for lines without these columns."""
    found: list[tuple[str, str, float, float]] = []
    problems = ProblemList()
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise input_error(path, f"cannot be read: {reason.lower()}") from error
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            if columns := line.split():
                topic, measure, mean, deviation = columns
                found.append((topic, measure, float(mean), float(deviation)))
        except ValueError:
            problems.add(Problem(path, number, "expected topic, measure, mean, standard deviation"))
    problems.check()
    return found


USAGE_EXIT = 1  # trec_eval's; refused files end with 2 and runs without a topic of the judgments with 7


class _Abbreviating(TyperCommand):
    """A command that takes long options cut short, as trec_eval does."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = [name for each in self.params for name in each.opts if name.startswith("--")]
        for at, each in enumerate(args):
            name, sign, value = each.partition("=")
            meant = [long for long in known if long.startswith(name)]
            if name.startswith("--") and name not in known and len(meant) == 1:
                args[at] = f"{meant[0]}{sign}{value}"
        return super().parse_args(ctx, args)


trec_eval = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@trec_eval.command(cls=_Abbreviating, context_settings={"help_option_names": []})  # its -h is its own
@command
def print_lines(
    context: typer.Context,
    *,
    files: Names = argument("Judgments, then the run.", metavar="QRELS RUN"),
    options: Options,
    results_format: Literal["trec_results"] = option("-T --Results_format", "Format of the run.", "trec_results"),
    show_help: bool = flag("-h --help", "Show this, or with -m the pages of those measures, and exit."),
    show_version: bool = flag("-v --version", "Say the version and exit."),
) -> None:
    """Print what trec_eval prints for a run, line by line.

    Groups of measures: official, set, all_trec, prefs, all_prefs, qrels_jg. Files are read as evalsql load reads
    them: plain, .gz or .zst, - for standard input, and what cannot be read is refused with file and line.

    Where a version goes wrong (it crashes, divides 0 by 0, reads what it never wrote, or 10.0 stops at a topic that
    the run leaves out) this gives what is meant; evalsql measures NAME and -h -m NAME say where.

    Example: evalsql trec_eval -q -m map -m P.5,10 qrels.txt runs/first.run
    """
    try:
        if show_version:
            note(f"evalsql trec_eval, like version {options.version}")
        elif show_help and options.measures:
            _print_pages(options.measures)
        elif show_help:
            print(context.get_help())
        else:
            if len(files) != 2:
                raise UsageError(f"expected two files, judgments and run; found {len(files)} (-h shows the options)")
            qrels, run = files
            with Where(db=MEMORY).open_file() as warehouse, standard_output() as stream:
                printed = lines(warehouse, qrels, run, options)
                stream.writelines(for_stream(f"{line}\n", stream) for line in printed)
    except UsageError as error:
        error.exit_code = USAGE_EXIT
        raise


def _print_pages(measures: Names) -> None:
    catalog = read_catalog()
    names, (wanted, problems) = trec_names(catalog), marked_names(measures, "10.0")
    if problems:
        raise UsageError("\n".join(problems))
    for name in (relations.RUN_ID, relations.RELEVANCE_STRING):
        if any(text.partition(".")[0] == name for text in measures):
            print(f"{name}: text, no measure; see the tables runs and relstring of a warehouse\n")
    for relation in dict.fromkeys(names[name].relation.name for name in wanted if name in names):
        print_page(catalog, catalog[relation])
        print()
