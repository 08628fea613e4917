"""What trec_eval would print for one run, from the same relations as everything else.

Lines, order and form are those of trec_eval 9.0.8 or 10.0 (Buckley, Soboroff); the figures come from SQL.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from evalsql import build
from evalsql.catalog import Catalog
from evalsql.errors import EvalsqlError, InputError, Problem, UsageError
from evalsql.header import Value
from evalsql.ingest.keys import loading_sql
from evalsql.naming import Measure, literal, trec_measures, trec_names, unknown_measure
from evalsql.opening import open_for_measures
from evalsql.trec_groups import GROUPS, NEW_IN_10, NUM_TOPICS, ORDER, RELEVANCE_STRING, RUN_ID
from evalsql.warehouse import Warehouse

# By the name of trec_eval's -R: the form under which the judgments are loaded, and the family of measures that is made
# for them; every other measure is made for grades.
FORMATS: Mapping[str, tuple[str, str]] = {
    "qrels": ("grades", ""),
    "qrels_jg": ("groups", "groups"),
    "prefs": ("preferences", "preferences"),
    "qrels_prefs": ("preferences", "preferences"),
}
_QRELS = "qrels"
_RUN = "run"


class NoCommonTopicError(EvalsqlError):
    """The run has no topic of the judgments; trec_eval ends with 7."""

    exit_code = 7


@dataclass(frozen=True)
class Options:
    """trec_eval's options by their meaning; see ``evalsql trec_eval --help``."""

    measures: Sequence[str] = ("official",)
    version: str = "9.0.8"
    per_topic: bool = False
    summary: bool = True
    complete: bool = False
    level: int = 1
    depth: int | None = None
    collection: int = 0
    judged_only: bool = False
    judgments_format: str = "qrels"
    zscores: str | None = None


@dataclass(frozen=True)
class Row:
    """One line for each topic, and one for the whole. ``measure`` is None for what is no measure by the contract."""

    name: str
    measure: Measure | None = None
    length: int = 10

    @property
    def is_count(self) -> bool:
        return self.name == NUM_TOPICS or (self.measure is not None and self.measure.relation.header.mean == "sum")


@dataclass
class _Answers:
    """Texts by topic of each row that has them, and of the whole."""

    topics: Sequence[str]
    by_topic: Mapping[tuple[str, str], str | float]
    whole: dict[str, str | float] = field(default_factory=dict)


def rows_wanted(texts: Iterable[str], catalog: Catalog, options: Options) -> list[Row]:
    """The rows that names such as P.5,10 and all_trec stand for, in trec_eval's order.

    Of values behind a dot the first ones given for a name hold, as in trec_eval.

    Raises:
        UsageError: unknown names and values that do not fit, all at once, with the nearest names.
    """
    known = [name for name in ORDER if options.version == "10.0" or name not in NEW_IN_10]
    marked: set[str] = set()
    values: dict[str, str] = {}
    problems: list[str] = []
    for text in texts:
        name, dot, given = text.partition(".")
        if dot and not given:
            problems.append(f'"{text}": there is nothing behind the dot')
        elif name in GROUPS:
            marked.update(each for each in GROUPS[name] if each in known)
        elif name in known:
            marked.add(name)
            if dot:
                values.setdefault(name, given)
        else:
            problems.append(unknown_measure(text, {each: each for each in (*known, *GROUPS)}))
    rows: list[Row] = []
    for name in known:
        if name in marked:
            try:
                rows += _rows(name, values.get(name), catalog, options)
            except UsageError as error:
                problems.append(str(error))
    if problems:
        raise UsageError("\n".join(problems))
    return rows


def _rows(name: str, values: str | None, catalog: Catalog, options: Options) -> list[Row]:
    if name in (RUN_ID, NUM_TOPICS):
        return [Row(name)]
    if name == RELEVANCE_STRING:
        if values is not None and not values.isdigit():
            raise UsageError(f'"{name}.{values}": the length is a whole number')
        return [Row(f"{name}_{values}", length=int(values)) if values else Row(name)]
    named = trec_names(catalog)[name]
    families = {family for _, family in FORMATS.values()}
    family = named.relation.family if named.relation.family in families else ""
    if family != FORMATS[options.judgments_format][1]:
        raise UsageError(f"{name} cannot be calculated from judgments of format {options.judgments_format}")
    text = name if values is None else f"{name}.{values}"
    return [Row(printed, _adjusted(measure, options)) for printed, measure in trec_measures(text, named, values)]


def _adjusted(measure: Measure, options: Options) -> Measure:
    """The measure under the options that hold for all of a run."""
    settings: dict[str, Value] = {
        "rel": options.level,
        "rounding": "trec_eval_10" if options.version == "10.0" else "trec_eval",
        "collection": options.collection,
        "judged_only": options.judged_only,
    }
    return replace(
        measure, arguments={**measure.arguments, **{k: v for k, v in settings.items() if k in measure.arguments}}
    )


def lines(qrels: str, run: str, catalog: Catalog, options: Options) -> Iterator[str]:
    """What trec_eval prints for the files, a line at a time without its end.

    Raises:
        UsageError: measures that do not fit, before any file is read.
        InputError: lines of the files that were refused; nothing is printed then.
        NoCommonTopicError: no topic is in both files.
    """
    rows = rows_wanted(options.measures, catalog, options)
    relations = [row.measure.relation.name for row in rows if row.measure]
    reference = _read_zscores(options.zscores) if options.zscores else None
    with open_for_measures([*relations, "num_rel", "coverage", "evaluated", RELEVANCE_STRING], catalog) as warehouse:
        _load(warehouse, qrels, run, options)
        answers = _answers(warehouse, rows, options, reference)
        mark = "Z" if reference is not None else ""
        if options.per_topic:
            for topic in answers.topics:
                for row in rows:
                    if (value := answers.by_topic.get((topic, row.name))) is not None:
                        yield _line(row, topic, value, mark)
        if options.summary:
            for row in rows:
                if (value := answers.whole.get(row.name)) is not None:
                    yield _line(row, "all", value, mark)


def _line(row: Row, topic: str, value: str | float, mark: str) -> str:
    if isinstance(value, str):
        return f"{row.name:<22}\t{topic}\t{value}"
    text = f"{int(value)}" if row.is_count and not mark else f"{value:6.4f}"
    return f"{mark}{row.name:<22}\t{topic}\t{text}"


def _load(warehouse: Warehouse, qrels: str, run: str, options: Options) -> None:
    warehouse.load_qrels(qrels, _QRELS, form=FORMATS[options.judgments_format][0])
    # Groups leave out what each of them does not judge, see the measures' judged_only.
    leave_out = options.judged_only and options.judgments_format == "qrels"
    warehouse.load_runs(
        run,
        name=_RUN,
        tie_rule="trec_eval_10" if options.version == "10.0" else "trec_eval",
        depth=options.depth,
        judged_by=_QRELS if leave_out else None,
    )


def _answers(
    warehouse: Warehouse, rows: Sequence[Row], options: Options, reference: Sequence[Sequence[object]] | None
) -> _Answers:
    ((num_topics, missing, run_id),) = warehouse.rows(
        "select num_topics, missing_topics, tag from coverage join runs on runs.run = coverage.run"
    )
    every = options.complete and options.version == "10.0"
    if num_topics == missing and not every:
        raise NoCommonTopicError("no topic is both in the judgments and in the run")
    # One thread adds up each topic's values in the order of the ranking, as the C program does.
    warehouse.execute("set threads = 1")
    _score(warehouse, rows, reference)
    condition = "" if every else "where not missing"
    topics = [topic for (topic,) in warehouse.rows(f"select topic from evaluated {condition} order by topic")]
    by_topic: dict[tuple[str, str], str | float] = {}
    if options.per_topic:
        # trec_eval prints nothing by topic where the mean is geometric.
        found = warehouse.rows(
            f"select topic, measure, value from answers join ({_means(rows)}) using (measure) where mean <> 'geometric'"
        )
        by_topic |= {(topic, name): value for topic, name, value in found}
        for row in rows:
            if row.name.partition("_")[0] == RELEVANCE_STRING:
                strings = warehouse.rows(f"select topic, relstring from relstring(length := {row.length})")
                by_topic |= {(topic, row.name): f"'{text}'" for topic, text in strings}
    averaged = ("all" if every else "padded") if options.complete else "retrieved"
    whole: dict[str, str | float] = dict(warehouse.rows(_summary(warehouse, rows, averaged)))
    whole |= {RUN_ID: run_id or "", NUM_TOPICS: num_topics if options.complete else num_topics - missing}
    if options.complete and "num_rel" in whole:
        # trec_eval -c counts grades above 0 whatever its level.
        ((whole["num_rel"],),) = warehouse.rows("select sum(value) from num_rel()")
    return _Answers(topics, by_topic, {row.name: whole[row.name] for row in rows if row.name in whole})


def _score(warehouse: Warehouse, rows: Sequence[Row], reference: Sequence[Sequence[object]] | None) -> None:
    """Put the values of all measures into the temporary table ``answers``, under the names that are printed."""
    labelled = [(row.name, row.measure) for row in rows if row.measure]
    scores = build.labelled_scores(labelled) if labelled else build.NO_SCORES
    if reference is not None:
        warehouse.execute("create temp table zscores (topic varchar, measure varchar, mean double, deviation double)")
        for line in reference:
            warehouse.execute("insert into zscores values (?, ?, ?, ?)", line)
        inputs = {"raw_scores": scores, "measures": _means(rows), "reference_scores": "select * from zscores"}
        scores = loading_sql(warehouse, "z_scores", inputs)
    warehouse.execute(f"create temp table answers as\n{scores}")


def _means(rows: Sequence[Row]) -> str:
    """A SELECT of how each row is averaged: measure, mean."""
    listed = ", ".join(
        f"({literal(row.name)}, {literal(row.measure.relation.header.mean)})" for row in rows if row.measure
    )
    return f"select * from (values {listed or '(null, null)'}) as means(measure, mean)"


def _summary(warehouse: Warehouse, rows: Sequence[Row], topics: str) -> str:
    inputs = {"scores": "select * from answers", "answered": build.ANSWERS, "measures": _means(rows)}
    return f"select measure, value from ({build.with_inputs(build.averaged(warehouse.catalog, topics), inputs)})"


def _read_zscores(path: str) -> list[tuple[str, str, float, float]]:
    """Topic, measure, mean and standard deviation of each line; raises InputError for lines that have no such."""
    found: list[tuple[str, str, float, float]] = []
    problems: list[Problem] = []
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError([Problem(path, 0, f"cannot be read: {error}")]) from error
    for number, line in enumerate(text.splitlines(), start=1):
        columns = line.split()
        try:
            topic, measure, mean, deviation = columns
            found.append((topic, measure, float(mean), float(deviation)))
        except ValueError:
            if columns:
                problems.append(Problem(path, number, "expected topic, measure, mean, standard deviation"))
    if problems:
        raise InputError(problems)
    return found
