"""Stages judgments, from a file or from memory, checks them, and stores them in the base tables."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from evalsql.catalog.ddl import relation_query
from evalsql.database.disk import scratch_folder
from evalsql.errors import InputError, Problem, ProblemList, QueryError, UsageError
from evalsql.ingest import base_rows
from evalsql.ingest.base_rows import FileRow, add_file_rows
from evalsql.ingest.files.source import Source
from evalsql.ingest.files.trec_text import (
    NO_DELIMITER,
    Notes,
    PreferenceRow,
    QrelsRow,
    preference_rows,
    qrels_rows,
    reader,
)
from evalsql.ingest.frames import check_rows, refuse_unlike, registered
from evalsql.version import __version__

if TYPE_CHECKING:
    from evalsql.database.database import Database
    from evalsql.ingest.files.raw_rows import Table

IMPLIED = ("pairs", "families")  # forms of what judgments are made of
FORMS = ("grades", "groups", "preferences", *IMPLIED)
_GRADED_COLUMNS = {"topic": "varchar", "iteration": "varchar", "document": "varchar", "grade": "integer"}
_PREFERENCE_COLUMNS = {
    "topic": "varchar",
    "judgment_group": "varchar",
    "subgroup": "varchar",
    "document": "varchar",
    "level": "double",
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
    queries: str | Path | Iterable[str] | None = None
    with_self: bool = False

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise UsageError(f"form {self.form} is unknown; there are: {', '.join(FORMS)}")
        if self.keep_best and self.form == "preferences":
            raise UsageError("of repeated preferences none is the best one; mend the file")
        if self.queries is not None and self.form != "families":
            raise UsageError("queries are named for judgments made of families, --form families")

    @property
    def stored_form(self) -> str:
        """The form in which the judgments are stored: what is implied by pairs or families are grades."""
        return "grades" if self.form in IMPLIED else self.form

    @property
    def staged_columns(self) -> Mapping[str, str]:
        """SQL type by column of the staged rows."""
        return _PREFERENCE_COLUMNS if self.form == "preferences" else _GRADED_COLUMNS


@dataclass
class StagedJudgments:
    """Judgments in the temporary table ``staged_qrels_rows``, with their origin.

    Attributes:
        source: their file; None if they came from memory.
        num_rows: how many rows were read, ``duplicates`` of which were left out.
        notices: what to say of them to the user.
    """

    source: Source | None
    num_rows: int
    duplicates: int = 0
    notes: Notes = field(default_factory=Notes)
    name: str = ""
    notices: list[str] = field(default_factory=list)

    def store(self, database: Database, options: JudgmentOptions) -> int:
        """Put them into the base tables within the caller's transaction; returns the qrels_id."""
        qrels_id = store_judgments(database, self.name, options, self.notes, self.duplicates)
        if self.source:
            add_file_rows(database, FileRow.of("qrels", qrels_id, self.source, self.num_rows))
        else:
            add_file_rows(database, FileRow.in_memory("qrels", qrels_id, self.num_rows))
        return qrels_id


def stage_file(database: Database, source: Source, options: JudgmentOptions) -> StagedJudgments:
    """Stage a TREC file; before any transaction, which the engine's errors would end.

    Raises:
        InputError: bad lines, a document judged twice for a topic (twice by a group where the form is groups),
            preferences that contradict each other, no rows at all.
    """
    if options.form != "preferences" and (num_rows := _stage_clean(database, source, options)):
        return StagedJudgments(source, num_rows)
    notes, problems = Notes(), ProblemList()
    rows: Iterable[Iterable[object]]
    if options.form == "preferences":
        found = list(preference_rows(source, notes, problems.add))
        check_preferences(found, source.label, problems)
        rows, num_rows, duplicates = [row for _, row in found], len(found), 0
    else:
        kept, duplicates = _unrepeated(qrels_rows(source, notes, problems.add), source, problems, options)
        rows, num_rows = kept.values(), len(kept) + duplicates
    if not num_rows and not problems:
        problems.add(Problem(source.label, 0, "holds no rows"))
    problems.check()
    stage_judgments(database, rows, options)
    return StagedJudgments(source, num_rows, duplicates, notes)


def stage_table(database: Database, table: Table, options: JudgmentOptions) -> StagedJudgments:
    """The same for a file whose rows are in a table already."""
    create_staged(database, options)
    is_preferences = options.form == "preferences"
    meanings: Sequence[str] = ("topic", "iteration", "document", "grade")
    if is_preferences:
        meanings = ("topic", "group", "subgroup", "document", "level")
    selected = table.selected(*meanings)
    database.execute(f"insert into staged_qrels_rows select {selected} from ({table.query}) order by row")
    ((num_rows,),) = database.rows("select count(*) from staged_qrels_rows")
    problems = ProblemList()
    if is_preferences:
        check_preferences(cast(Any, table.rows(*meanings)), table.source.label, problems)
    elif repeated := _repeated(database, options):
        if options.keep_best:
            return StagedJudgments(table.source, num_rows, num_rows - _keep_best(database, options))
        _unrepeated(cast(Any, table.rows(*meanings)), table.source, problems, options)
        if not problems:
            raise QueryError(f"{len(repeated)} repeated judgments were found that no row could be named for")
    problems.check()
    return StagedJudgments(table.source, num_rows)


def stage_data(database: Database, name: str, data: Any, options: JudgmentOptions) -> StagedJudgments:
    """Stage judgments in memory.

    ``data`` is {topic: {document: grade}}, or a frame with columns for topic, document and grade, and iteration if
    there is one; for preferences with columns for topic, group, document and level, and subgroup if there is one.

    Raises:
        InputError: as ``stage_file``; lines count rows from 1. A grade must be a whole number.
        UsageError: columns missing or of a type that does not name things.
    """
    create_staged(database, options)
    number = "level" if options.form == "preferences" else "grade"
    with registered(database, data, options.form, options.columns) as (view, found):
        refuse_unlike(database, name, view, found[number], number, whole=number == "grade")

        def text(meaning: str) -> str:
            return f"coalesce(cast({found[meaning]} as varchar), '0')" if meaning in found else "'0'"

        names = f"{text('group')}, {text('subgroup')}" if number == "level" else text("iteration")
        database.execute(f"""
            insert into staged_qrels_rows
            select
                cast({found["topic"]} as varchar), {names}, cast({found["document"]} as varchar),
                cast({found[number]} as {options.staged_columns[number]})
            from {view}
        """)
    if number == "level":
        unusable = "level is null or not isfinite(level)"
        num_rows = check_rows(database, name, "staged_qrels_rows", unusable, "level is missing or not finite")
        problems = ProblemList()
        check_preferences(enumerate(database.rows("from staged_qrels_rows order by rowid"), start=1), name, problems)
        problems.check()
        return StagedJudgments(None, num_rows)
    num_rows = check_rows(database, name, "staged_qrels_rows", "grade is null", "grade is missing")
    repeated = _repeated(database, options)
    if repeated and not options.keep_best:
        hint = "; form='groups' lets each iteration, a group or subtopic, judge it once"
        more = hint if options.form == "grades" and "iteration" in found else ""
        raise InputError(
            Problem(name, 0, f"document {document} of topic {topic} is judged more than once{more}")
            for topic, document in repeated
        )
    return StagedJudgments(None, num_rows, num_rows - _keep_best(database, options) if repeated else 0)


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
    return 0 if rejected or doubtful or _repeated(database, options) else int(num_rows)


def _unrepeated(
    rows: Iterable[tuple[int, QrelsRow]], source: Source, problems: ProblemList, options: JudgmentOptions
) -> tuple[dict[tuple[str, ...], QrelsRow], int]:
    """Rows by topic and document, and group where they count, and how many were left out for one of a higher grade."""
    in_groups = options.form == "groups"
    kept: dict[tuple[str, ...], QrelsRow] = {}
    lines: dict[tuple[str, ...], int] = {}
    duplicates = 0
    for line, row in rows:
        topic, iteration, document, _ = row
        key = (topic, document, iteration) if in_groups else (topic, document)
        first = lines.setdefault(key, line)
        if first == line:
            kept[key] = row
        elif options.keep_best:
            duplicates += 1
            kept[key] = max(kept[key], row, key=lambda one: one[3])
        else:
            by = f" by group {iteration}" if in_groups else ""
            reason = f"document {document} of topic {topic} is already judged{by} at line {first}"
            if not in_groups and kept[key][1] != iteration:
                reason += (
                    f", with iteration {kept[key][1]}; in the form groups (--form groups) each iteration, a group or "
                    "subtopic, may judge it once"
                )
            problems.add(Problem(source.label, line, reason))
    return kept, duplicates


def _best_judgments(database: Database, options: JudgmentOptions) -> str:
    """A SELECT of the staged judgments with the highest grade of each document, and ``times`` it was judged."""
    staged = {"staged": "select *, rowid as place from staged_qrels_rows"}
    return relation_query(database.catalog, "best_judgments", staged, in_groups=options.form == "groups")


def _repeated(database: Database, options: JudgmentOptions) -> list[tuple[str, str]]:
    """Topic and document of staged judgments that are repeated."""
    best = _best_judgments(database, options)
    return database.rows(f"select topic, document from ({best}) where times > 1 order by topic, document")


def _keep_best(database: Database, options: JudgmentOptions) -> int:
    """Keep only the best of the staged judgments; returns how many they are."""
    best = _best_judgments(database, options)
    database.execute(f"create or replace temp table staged_qrels_rows as select * exclude (times) from ({best})")
    ((num_kept,),) = database.rows("select count(*) from staged_qrels_rows")
    return int(num_kept)


def create_staged(database: Database, options: JudgmentOptions) -> None:
    """Make the temporary table that ``store_judgments`` takes its rows from."""
    columns = ", ".join(f"{name} {kind}" for name, kind in options.staged_columns.items())
    database.execute(f"create or replace temp table staged_qrels_rows ({columns})")


def stage_judgments(database: Database, rows: Iterable[Iterable[object]], options: JudgmentOptions) -> None:
    """Stage rows that are known to be good."""
    create_staged(database, options)
    base_rows.insert_rows(database, "staged_qrels_rows", options.staged_columns, rows)


def store_judgments(database: Database, name: str, options: JudgmentOptions, notes: Notes, duplicates: int) -> int:
    """Put the staged judgments, with all that describes them, into the base tables; returns the qrels_id."""
    qrels_id, meta = base_rows.next_id(database, "qrels", "qrels_id"), options.meta or {}
    database.execute(
        """
        insert into qrels (qrels_id, qrels, form, duplicates, comments, meta, loaded_at, evalsql_version)
        values (?, ?, ?, ?, ?, map(?::varchar[], ?::varchar[]), current_timestamp at time zone 'UTC', ?)
        """,
        (
            qrels_id,
            name,
            options.stored_form,
            duplicates,
            "\n".join(notes.comments),
            list(meta),
            list(meta.values()),
            __version__,
        ),
    )
    staged = "select *, 0 as file_id from staged_qrels_rows"
    base_rows.add_names(database, staged)
    inputs = {
        "staged": staged,
        "staged_files": f"select 0 as file_id, {qrels_id} as owner_id",
    }
    table = "preferences" if options.form == "preferences" else "assessments"
    database.insert(table, relation_query(database.catalog, f"new_{table}", inputs))
    database.execute("drop table staged_qrels_rows")
    base_rows.forget_names(database)
    inputs = {"new_qrels": f"select {qrels_id} as qrels_id"}
    database.insert("judged_documents", relation_query(database.catalog, "new_judged_documents", inputs))
    return qrels_id


# Documents by level, of each subgroup of one judgment group.
Group = dict[str, dict[float, list[str]]]


def check_preferences(rows: Iterable[tuple[int, PreferenceRow]], label: str, problems: ProblemList) -> None:
    """Refuse what contradicts itself in ``rows``, which come with their line numbers.

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
            reason = f"document {document} {where} stands in subgroup {subgroup} already, at line {first}"
            problems.add(Problem(label, line, reason))
            continue
        other, other_level = first_levels.setdefault((topic, group, document), (line, level))
        if 0 in (level, other_level) and max(level, other_level) > 0:
            reason = f"document {document} {where} has level {level:g} here and {other_level:g} at line {other}"
            problems.add(Problem(label, line, f"{reason}; level 0 is not relevant, above it is relevant"))
        groups[topic, group][subgroup][level].append(document)
    for (topic, group), subgroups in groups.items():
        if circle := _cycle(subgroups):
            links = ", ".join(f"{better} to {worse}" for better, worse in pairwise([*circle, circle[0]]))
            problems.add(Problem(label, 0, f"group {group} of topic {topic} contradicts itself, preferring {links}"))


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
