"""Loads judgments: one file, or rows in memory, into the base tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import literal
from evalsql.database.temporary_folders import scratch_folder
from evalsql.errors import Problem, QueryError, UsageError
from evalsql.ingest import keys
from evalsql.ingest.file_rows import FileRow, add_file_rows
from evalsql.ingest.files.source import Source
from evalsql.ingest.files.trec_layout import NO_DELIMITER, reader
from evalsql.ingest.files.trec_lines import Notes, QrelsRow, preference_rows, qrels_rows, write_clean
from evalsql.ingest.judgments import preferences
from evalsql.ingest.problems import ProblemList
from evalsql.version import __version__

if TYPE_CHECKING:
    from evalsql.database.database import Database
    from evalsql.ingest.files.table import Table

FORMS = ("grades", "groups", "preferences")
GRADED_COLUMNS = {"topic": "varchar", "iteration": "varchar", "document": "varchar", "grade": "integer"}
PREFERENCE_COLUMNS = {
    "topic": "varchar",
    "judgment_group": "varchar",
    "subgroup": "varchar",
    "document": "varchar",
    "level": "double",
}


@dataclass(frozen=True)
class QrelsOptions:
    """How judgments are to be read: their form (one of FORMS), what becomes of repeated ones, what to keep with them.

    Raises:
        UsageError: an unknown form, or ``keep_best`` where there are no grades.
    """

    form: str
    keep_best: bool
    meta: Mapping[str, str]

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise UsageError(f"form {self.form} is unknown; there are: {', '.join(FORMS)}")
        if self.keep_best and self.form == "preferences":
            raise UsageError("of repeated preferences none is the best one; mend the file")

    @property
    def columns(self) -> Mapping[str, str]:
        """SQL type by column of the staged rows."""
        return PREFERENCE_COLUMNS if self.form == "preferences" else GRADED_COLUMNS


@dataclass
class StagedQrelsFile:
    """A file of judgments on its way in: rows staged or left out, and what it holds beside them."""

    source: Source
    num_rows: int = 0
    duplicates: int = 0
    notes: Notes = field(default_factory=Notes)


def stage_qrels_file(database: Database, source: Source, options: QrelsOptions) -> StagedQrelsFile:
    """Read one file of judgments into a temporary table; before any transaction, which the engine's errors would end.

    Raises:
        InputError: bad lines, a document judged twice for a topic (twice by a group where the form is groups),
            preferences that contradict each other, no rows at all.
    """
    staged = StagedQrelsFile(source, _stage_clean(database, source, options))
    if not staged.num_rows:
        staged.num_rows, staged.duplicates = _stage_exactly(database, source, options, staged.notes)
    return staged


def stage_qrels_table(database: Database, table: Table, options: QrelsOptions) -> StagedQrelsFile:
    """The same for a file whose rows are in a table already."""
    create_staged(database, options)
    meanings: Sequence[str] = ("topic", "iteration", "document", "grade")
    if options.form == "preferences":
        meanings = ("topic", "group", "subgroup", "document", "level")
    selected = table.selected(*meanings)
    database.execute(f"insert into staged_qrels_rows select {selected} from ({table.query}) order by row")
    ((num_rows,),) = database.rows("select count(*) from staged_qrels_rows")
    problems = ProblemList()
    if options.form == "preferences":
        preferences.check(cast(Any, table.rows(*meanings)), table.source.label, problems)
        problems.check()
        return StagedQrelsFile(table.source, num_rows)
    ((repeated,),) = database.rows(f"select count(*) from ({best_judgments(database, options)}) where times > 1")
    if repeated and options.keep_best:
        return StagedQrelsFile(table.source, num_rows, num_rows - keep_best(database, options))
    if not repeated:
        return StagedQrelsFile(table.source, num_rows)
    _unrepeated(cast(Any, table.rows(*meanings)), table.source, problems, options)
    problems.check()
    raise QueryError(f"{repeated} repeated judgments were found that no row could be named for")


def store_qrels_file(database: Database, name: str, staged: StagedQrelsFile, options: QrelsOptions) -> int:
    """Put the staged file into the base tables within the caller's transaction; returns the qrels_id."""
    qrels_id = store(database, name, options, staged.notes, staged.duplicates)
    add_file_rows(database, FileRow.of("qrels", qrels_id, staged.source, staged.num_rows))
    return qrels_id


def _stage_clean(database: Database, source: Source, options: QrelsOptions) -> int:
    """Stage judgments by the engine's reader; returns how many, 0 if they need the exact one for any reason."""
    if options.form == "preferences":
        return 0
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
    ((num_rows, doubtful, repeated),) = database.rows(f"""
        select
            count(*), count(*) filter (doubtful),
            (select count(*) from ({best_judgments(database, options)}) where times > 1)
        from staged_qrels_rows
    """)
    return 0 if rejected or doubtful or repeated else int(num_rows)


def _stage_exactly(database: Database, source: Source, options: QrelsOptions, notes: Notes) -> tuple[int, int]:
    """Stage judgments line by line; returns how many rows there are, and how many of them were left out."""
    problems = ProblemList()
    rows: Iterable[Iterable[object]]
    if options.form == "preferences":
        found = list(preference_rows(source, notes, problems.add))
        preferences.check(found, source.label, problems)
        rows, num_rows, duplicates = [row for _, row in found], len(found), 0
    else:
        kept, duplicates = _unrepeated(qrels_rows(source, notes, problems.add), source, problems, options)
        rows, num_rows = kept.values(), len(kept) + duplicates
    if not num_rows and not problems:
        problems.add(Problem(source.label, 0, "holds no rows"))
    problems.check()
    stage_rows(database, rows, options)
    return num_rows, duplicates


def _unrepeated(
    rows: Iterable[tuple[int, QrelsRow]], source: Source, problems: ProblemList, options: QrelsOptions
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


def best_judgments(database: Database, options: QrelsOptions) -> str:
    """A SELECT of the staged judgments with the highest grade of each document, and ``times`` it was judged."""
    staged = {"staged": "select *, rowid as place from staged_qrels_rows"}
    return relation_query(database.catalog, "best_judgments", staged, in_groups=options.form == "groups")


def keep_best(database: Database, options: QrelsOptions) -> int:
    """Leave only those of the staged judgments; returns how many they are."""
    best = best_judgments(database, options)
    database.execute(f"create or replace temp table staged_qrels_rows as select * exclude (times) from ({best})")
    ((num_kept,),) = database.rows("select count(*) from staged_qrels_rows")
    return int(num_kept)


def create_staged(database: Database, options: QrelsOptions) -> None:
    """Make the temporary table that ``store`` takes its rows from."""
    columns = ", ".join(f"{name} {kind}" for name, kind in options.columns.items())
    database.execute(f"create or replace temp table staged_qrels_rows ({columns})")


def stage_rows(database: Database, rows: Iterable[Iterable[object]], options: QrelsOptions) -> None:
    """Put rows that are known to be good into that table."""
    create_staged(database, options)
    columns = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in options.columns.items())
    with scratch_folder() as folder:
        path = Path(folder) / "qrels.tsv"
        write_clean(path, rows)
        database.execute(f"""
            insert into staged_qrels_rows
            select * from read_csv(
                {literal(str(path))}, delim = '\t', header = false, auto_detect = false, quote = '', escape = '',
                columns = {{{columns}}}
            )
        """)


def store(database: Database, name: str, options: QrelsOptions, notes: Notes, duplicates: int) -> int:
    """Put the staged judgments, with all that describes them, into the base tables; returns the qrels_id."""
    qrels_id = keys.next_id(database, "qrels", "qrels_id")
    database.execute(
        """
        insert into qrels (qrels_id, qrels, form, duplicates, comments, meta, loaded_at, evalsql_version)
        values (?, ?, ?, ?, ?, map(?::varchar[], ?::varchar[]), current_timestamp at time zone 'UTC', ?)
        """,
        (
            qrels_id,
            name,
            options.form,
            duplicates,
            "\n".join(notes.comments),
            list(options.meta),
            list(options.meta.values()),
            __version__,
        ),
    )
    staged = "select *, 0 as file_id from staged_qrels_rows"
    keys.add_names(database, staged)
    inputs = {
        "staged": staged,
        "staged_files": f"select 0 as file_id, {qrels_id} as owner_id",
    }
    table = "preferences" if options.form == "preferences" else "assessments"
    database.insert(table, relation_query(database.catalog, f"new_{table}", inputs))
    database.execute("drop table staged_qrels_rows")
    keys.forget_names(database)
    inputs = {"new_qrels": f"select {qrels_id} as qrels_id"}
    database.insert("judged_documents", relation_query(database.catalog, "new_judged_documents", inputs))
    return qrels_id
