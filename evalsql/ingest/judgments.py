"""Judgments on their way into the base tables: staged with their lines, checked there, stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.catalog.ddl import relation_query
from evalsql.database.disk import scratch_folder
from evalsql.errors import InputError, Problem, ProblemList, QueryError, UsageError
from evalsql.ingest import base_rows
from evalsql.ingest.files.input_files import judgments_of, open_one_source, stem
from evalsql.ingest.files.source import Source
from evalsql.ingest.files.tables import Tables
from evalsql.ingest.files.trec_text import NO_DELIMITER, Notes, preference_rows, qrels_rows, reader
from evalsql.ingest.frames import check_rows, refuse_unlike, registered
from evalsql.ingest.implied_judgments import IMPLYING, Queries, stage_implied
from evalsql.phrases import counted
from evalsql.version import __version__

if TYPE_CHECKING:
    from evalsql.database.database import Database
    from evalsql.ingest.files.tables import Table

FORMS = ("grades", "groups", "preferences", *IMPLYING)
# SQL type by column of the staged rows; line is that of the file, or the number of the row.
_GRADED = {"line": "bigint", "topic": "varchar", "iteration": "varchar", "document": "varchar", "grade": "integer"}
_PREFERRED = {
    **{"line": "bigint", "topic": "varchar", "judgment_group": "varchar", "subgroup": "varchar"},
    **{"document": "varchar", "level": "double"},
}


@dataclass(frozen=True)
class JudgmentOptions:
    """How judgments are loaded; ``Warehouse.load_qrels`` explains them.

    Raises:
        UsageError: an unknown form, ``keep_best`` where there are no grades, or queries where there are no families.
    """

    form: str = "grades"
    keep_best: bool = False
    meta: Mapping[str, str] | None = None
    columns: Mapping[str, str] | None = None
    queries: Queries = None
    with_self: bool = False

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise UsageError(f"form {self.form} is unknown; there are: {', '.join(FORMS)}")
        if self.keep_best and self.are_preferences:
            raise UsageError("of repeated preferences none is the best one; mend the file")
        if self.queries is not None and self.form != "families":
            raise UsageError("queries are named for judgments made of families, --form families")

    @property
    def are_preferences(self) -> bool:
        return self.form == "preferences"

    @property
    def implying(self) -> Mapping[str, Any]:
        """What says which judgments pairs and families imply."""
        return {"form": self.form, "queries": self.queries, "with_self": self.with_self}

    @property
    def staged_columns(self) -> Mapping[str, str]:
        """SQL type by column of the staged rows."""
        return _PREFERRED if self.are_preferences else _GRADED


@dataclass
class StagedJudgments:
    """Judgments in the temporary table ``staged_qrels_rows``, with their origin.

    Attributes:
        source: their file, or where else they come from.
        num_rows: how many rows were read, ``duplicates`` of which were left out.
        notices: what to say of them to the user.
    """

    name: str
    source: Source | str = base_rows.IN_MEMORY
    num_rows: int = 0
    duplicates: int = 0
    comments: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)


@contextmanager
def staged_judgments(
    database: Database, source: Any, name: str | None, options: JudgmentOptions
) -> Iterator[StagedJudgments]:
    """Stage judgments before any transaction, which the engine's errors would end.

    Arguments and errors are those of ``Loader.load_qrels``. Temporary copies of files last as long as the context.
    """
    create_staged(database, options)
    if not isinstance(source, str | Path):
        if name is None:
            raise UsageError("judgments in memory need a name")
        yield _stage_data(database, name, source, options)
        return
    is_folder = str(source) != "-" and Path(source).is_dir()
    path = judgments_of(Path(source), options.form) if is_folder else source
    problems = ProblemList()
    with (
        open_one_source(path, "judgments", options.form, options.columns) as file,
        Tables(database, options.form, options.columns, problems) as tables,
    ):
        tables.read([file])
        problems.check()
        if name is None:
            name = Path(source).resolve().name if is_folder else stem(file.label)
        staged = StagedJudgments(name, file)
        table = tables.by_label.get(file.label)
        if table:
            _stage_table(database, staged, table, options)
        elif options.form in IMPLYING:
            raise QueryError(f"{file.label}: {options.form} were not recognised")
        else:
            _stage_text(database, staged, file, options)
        staged.notices.insert(0, tables.describe_formats([file]) + (f", {path}" if is_folder else ""))
        yield staged


def create_staged(database: Database, options: JudgmentOptions) -> None:
    """Make the temporary table that ``store_judgments`` takes its rows from."""
    columns = ", ".join(f"{name} {kind}" for name, kind in options.staged_columns.items())
    database.execute(f"create or replace temp table staged_qrels_rows ({columns})")


def _stage_text(database: Database, staged: StagedJudgments, file: Source, options: JudgmentOptions) -> None:
    """Stage a TREC file: by the engine's reader, or line by line where something is to be said of a line.

    Raises:
        InputError: bad lines, a document judged twice for a topic (twice by a group where the form is groups),
            preferences that contradict each other, no rows at all.
    """
    staged.num_rows = 0 if options.are_preferences else _stage_clean(database, file, options)
    if staged.num_rows:
        return
    notes, problems = Notes(), ProblemList()
    read: Callable[..., Iterator[tuple[int, tuple[Any, ...]]]]
    read = preference_rows if options.are_preferences else qrels_rows
    create_staged(database, options)
    rows = ((line, *row) for line, row in read(file, notes, problems.add))
    base_rows.insert_rows(database, "staged_qrels_rows", options.staged_columns, rows)
    staged.comments = notes.comments
    _check(database, staged, options, problems)


def _stage_clean(database: Database, source: Source, options: JudgmentOptions) -> int:
    """Stage judgments by the engine's reader; returns how many, 0 if they need the exact one for any reason."""
    with scratch_folder() as folder:
        _, text = source.inspect(Path(folder), "text")
        if not text:
            return 0
        raw = f"select * from {reader([text.path], NO_DELIMITER, ['line'])}"
        clean = relation_query(database.catalog, "clean_qrels_rows", {"raw": raw})
        try:
            database.execute(f"create or replace temp table staged_qrels_rows as\n{clean}")
        except QueryError:
            return 0
    ((rejected,),) = database.rows("select count(*) from reject_errors")
    database.execute("drop table reject_errors; drop table reject_scans")
    ((num_rows, doubtful),) = database.rows("select count(*), count(*) filter (doubtful) from staged_qrels_rows")
    return 0 if rejected or doubtful or _has_repeated(database, options) else int(num_rows)


def _stage_table(database: Database, staged: StagedJudgments, table: Table, options: JudgmentOptions) -> None:
    """Stage a file whose rows are in a table already; errors are those of ``_stage_text``."""
    if options.form in IMPLYING:
        ((staged.num_rows,),) = database.rows(f"select count(*) from ({table.query})")
        staged.notices = stage_implied(database, table.source.label, table.query, **options.implying)
        return
    selected = (
        '"topic", "group", "subgroup", "document", "level"'
        if options.are_preferences
        else "topic, iteration, document, grade"
    )
    database.execute(
        f"insert into staged_qrels_rows select row_number() over (order by row), {selected} from ({table.query})"
    )
    _check(database, staged, options, ProblemList(), table)


def _stage_data(database: Database, name: str, data: Any, options: JudgmentOptions) -> StagedJudgments:
    """Stage judgments in memory.

    ``data`` is {topic: {document: grade}}, or a frame with columns for topic, document and grade, and iteration if
    there is one; for preferences with columns for topic, group, document and level, and subgroup if there is one.
    Pairs and families are rows, frames, or {topic: [document, ...]}.

    Raises:
        InputError: as ``_stage_text``; lines count rows from 1. A grade must be a whole number.
        UsageError: columns missing or of a type that does not name things.
    """
    staged = StagedJudgments(name)
    with registered(database, data, options.form, options.columns) as (view, found):
        if options.form in IMPLYING:
            listed = ", ".join(f'cast({column} as varchar) as "{meaning}"' for meaning, column in found.items())
            rows = f"select {listed} from {view}"
            missing = " or ".join(f"{meaning} is null or {meaning} = ''" for meaning in found)
            ((staged.num_rows, bad),) = database.rows(f"select count(*), count(*) filter ({missing}) from ({rows})")
            if bad:
                reason = f"{options.form}: {' or '.join(found)} is missing in {counted(bad, 'row')}"
                raise InputError([Problem(name, 0, reason)])
            staged.notices = stage_implied(database, name, rows, **options.implying)
            return staged
        number = "level" if options.are_preferences else "grade"
        refuse_unlike(database, name, view, found[number], number, whole=number == "grade")
        selected = [f"cast({found['topic']} as varchar)"]
        for meaning in ("group", "subgroup") if options.are_preferences else ("iteration",):
            selected.append(f"coalesce(cast({found[meaning]} as varchar), '0')" if meaning in found else "'0'")
        selected += [
            f"cast({found['document']} as varchar)",
            f"cast({found[number]} as {options.staged_columns[number]})",
        ]
        database.execute(
            f"insert into staged_qrels_rows select row_number() over (), {', '.join(selected)} from {view}"
        )
    unusable, reason = "grade is null", "grade is missing"
    if options.are_preferences:
        unusable, reason = "level is null or not isfinite(level)", "level is missing or not finite"
    check_rows(database, name, "staged_qrels_rows", unusable, reason)
    _check(database, staged, options, ProblemList())
    return staged


def _has_repeated(database: Database, options: JudgmentOptions) -> bool:
    judgment = "topic, document, iteration" if options.form == "groups" else "topic, document"
    repeated = f"select 1 from staged_qrels_rows group by {judgment} having count(*) > 1 limit 1"
    return bool(database.rows(repeated))


def _check(
    database: Database,
    staged: StagedJudgments,
    options: JudgmentOptions,
    problems: ProblemList,
    table: Table | None = None,
) -> None:
    """Count the staged rows, and refuse those that contradict earlier ones, or keep the best of repeated judgments.

    Args:
        problems: those of lines that could not be read.
        table: where the rows come from, if they are in one.
    """
    count, rows_by_line = "select count(*) from staged_qrels_rows", "from staged_qrels_rows order by line"
    ((staged.num_rows,),) = database.rows(count)
    unit, label = ("row", staged.name) if isinstance(staged.source, str) else ("line", staged.source.label)
    problem_at: Callable[[int, str], Problem] = partial(Problem, label)
    if table:
        unit, problem_at = table.unit, table.problem
    if not staged.num_rows and not problems:
        problems.add(problem_at(0, "holds no rows"))
    staged_rows, in_groups = {"staged": "select * from staged_qrels_rows"}, options.form == "groups"
    if options.keep_best:
        problems.check()
        best = relation_query(database.catalog, "best_judgments", staged_rows, in_groups=in_groups)
        database.execute(f"create or replace temp table staged_qrels_rows as\n{best}")
        ((num_kept,),) = database.rows(count)
        staged.duplicates = staged.num_rows - num_kept
        return
    repeated = relation_query(database.catalog, "repeated_staged_judgments", staged_rows, in_groups=in_groups)
    found = database.rows(rows_by_line if options.are_preferences else f"{repeated}\norder by line")
    lines = dict(enumerate((line for line, _ in table.rows("topic")), start=1)) if table and found else {}
    if options.are_preferences:
        check_preferences(((lines.get(line, line), row) for line, *row in found), unit, problem_at, problems)
        found = []
    for line, topic, iteration, document, first, other in found:
        by = f" by group {iteration}" if in_groups else ""
        reason = f"document {document} of topic {topic} is already judged{by} at {unit} {lines.get(first, first)}"
        if not in_groups and iteration != other:
            reason += (
                f", with iteration {other}; in the form groups (--form groups, in Python form='groups') each "
                "iteration, a group or subtopic, may judge it once"
            )
        problems.add(problem_at(lines.get(line, line), reason))
    problems.check()


def store_judgments(database: Database, staged: StagedJudgments, options: JudgmentOptions) -> int:
    """Put the staged judgments into the base tables within the caller's transaction; returns the qrels_id."""
    qrels_id, meta = base_rows.next_id(database, "qrels", "qrels_id"), options.meta or {}
    database.execute(
        """
        insert into qrels (qrels_id, qrels, form, duplicates, comments, meta, loaded_at, evalsql_version)
        values (?, ?, ?, ?, ?, map(?::varchar[], ?::varchar[]), current_timestamp at time zone 'UTC', ?)
        """,
        (
            *(qrels_id, staged.name, "grades" if options.form in IMPLYING else options.form, staged.duplicates),
            *("\n".join(staged.comments), list(meta), list(meta.values()), __version__),
        ),
    )
    rows = "select *, 0 as file_id from staged_qrels_rows"
    base_rows.add_names(database, rows)
    table = "preferences" if options.are_preferences else "assessments"
    inputs = {"staged": rows, "staged_files": f"select 0 as file_id, {qrels_id} as owner_id"}
    database.insert(table, relation_query(database.catalog, f"new_{table}", inputs))
    inputs = {"new_qrels": f"select {qrels_id} as qrels_id"}
    database.insert("judged_documents", relation_query(database.catalog, "new_judged_documents", inputs))
    base_rows.forget_names(database)
    database.execute("drop table staged_qrels_rows")
    return qrels_id


# Documents by level, of each subgroup of one judgment group.
Group = dict[str, dict[float, list[str]]]


def check_preferences(
    rows: Iterable[tuple[int, Sequence[Any]]],
    unit: str,
    problem_at: Callable[[int, str], Problem],
    problems: ProblemList,
) -> None:
    """Refuse what contradicts itself in ``rows``, which come with their lines, or another ``unit``.

    Those are a document twice in one subgroup; a document at level 0, not relevant, in one subgroup and above it in
    another of the same group; and groups in which a document is preferred to another and that one to it, be it by
    way of others. Different groups may disagree.
    """
    first_lines: dict[tuple[str, str, str, str], int] = {}
    first_levels: dict[tuple[str, str, str], tuple[int, float]] = {}
    groups: dict[tuple[str, str], Group] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for line, (topic, group, subgroup, document, level) in rows:
        where = f"of topic {topic} in group {group}"
        first = first_lines.setdefault((topic, group, subgroup, document), line)
        if first != line:
            reason = f"document {document} {where} stands in subgroup {subgroup} already, at {unit} {first}"
            problems.add(problem_at(line, reason))
            continue
        other, other_level = first_levels.setdefault((topic, group, document), (line, level))
        if 0 in (level, other_level) and max(level, other_level) > 0:
            reason = f"document {document} {where} has level {level:g} here and {other_level:g} at {unit} {other}"
            problems.add(problem_at(line, f"{reason}; level 0 is not relevant, above it is relevant"))
        groups[topic, group][subgroup][level].append(document)
    for (topic, group), subgroups in groups.items():
        if circle := _cycle(subgroups):
            links = ", ".join(f"{better} to {worse}" for better, worse in pairwise([*circle, circle[0]]))
            problems.add(problem_at(0, f"group {group} of topic {topic} contradicts itself, preferring {links}"))


def _cycle(group: Group) -> list[str]:
    """Documents each preferred to the next and the last to the first; empty if there is no such circle."""
    if len(group) < 2:
        return []
    sorter: TopologicalSorter[str | tuple[str, float]] = TopologicalSorter()
    for subgroup, levels in group.items():
        for better, worse in pairwise(sorted(levels, reverse=True)):
            # A node between two levels stands for all the pairs across them.
            between = (subgroup, better)
            sorter.add(between, *levels[better])
            for document in levels[worse]:
                sorter.add(document, between)
    try:
        sorter.prepare()
    except CycleError as error:
        documents = [node for node in error.args[1][1:] if isinstance(node, str)]
        start = documents.index(min(documents))
        return documents[start:] + documents[:start]
    return []
