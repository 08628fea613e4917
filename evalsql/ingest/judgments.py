"""Judgments on their way into the base tables: staged with their lines, checked there, stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
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
from evalsql.ingest.files.trec_text import Notes, preference_rows, qrels_rows, reader
from evalsql.ingest.frames import check_rows, registered
from evalsql.ingest.implied_judgments import IMPLYING, Queries, stage_implied
from evalsql.ingest.replacing import make_room_for_judgments, take_over
from evalsql.phrases import counted

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
_ALL = "select * from staged_qrels_rows"


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


@contextmanager
def staged_judgments(
    database: Database, source: Any, name: str | None, options: JudgmentOptions
) -> Iterator[StagedJudgments]:
    """Stage judgments before any transaction, which the engine's errors would end.

    Arguments and errors are those of ``Loader.load_qrels``. Temporary copies of files last as long as the context.
    """
    if not isinstance(source, str | Path):
        if name is None:
            raise UsageError("judgments in memory need a name")
        staged = StagedJudgments(database, name, options)
        staged.stage_data(source)
        yield staged
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
        staged = StagedJudgments(database, name, options, file)
        if table := tables.by_label.get(file.label):
            staged.stage_table(table)
        else:
            staged.stage_text(file)
        staged.notices.insert(0, tables.describe_formats([file]) + (f", {path}" if is_folder else ""))
        yield staged


class StagedJudgments:
    """Judgments in the temporary table ``staged_qrels_rows``, with their origin.

    Args:
        source: their file, or where else they come from.

    Attributes:
        num_rows: how many rows were read, ``duplicates`` of which were left out.
        notices: what to say of them to the user.
    """

    def __init__(
        self, database: Database, name: str, options: JudgmentOptions, source: Source | str = base_rows.IN_MEMORY
    ) -> None:
        self.database = database
        self.name = name
        self.options = options
        self.source = source
        self.num_rows = self.duplicates = 0
        self.comments: Sequence[str] = ()
        self.notices: list[str] = []
        self._columns = _PREFERRED if options.are_preferences else _GRADED
        self._number = "level" if options.are_preferences else "grade"
        self._make_table()

    def _make_table(self) -> None:
        columns = ", ".join(f"{name} {kind}" for name, kind in self._columns.items())
        self.database.execute(f"create or replace temp table staged_qrels_rows ({columns})")

    def stage_text(self, file: Source) -> None:
        """Stage a TREC file: by the engine's reader, or line by line where something is to be said of a line.

        Raises:
            InputError: bad lines, a document judged twice for a topic (twice by a group where the form is groups),
                preferences that contradict each other, no rows at all.
        """
        if self.options.form in IMPLYING:
            raise QueryError(f"{file.label}: {self.options.form} were not recognised")
        self.num_rows = 0 if self.options.are_preferences else _stage_clean(self.database, file, self.options.form)
        if self.num_rows:
            return
        self._make_table()
        notes, problems = Notes(), ProblemList()
        read: Callable[..., Iterator[tuple[int, tuple[Any, ...]]]]
        read = preference_rows if self.options.are_preferences else qrels_rows
        rows = ((line, *row) for line, row in read(file, notes, problems.add))
        base_rows.insert_rows(self.database, "staged_qrels_rows", self._columns, rows)
        self.comments = notes.comments
        self._check("line", partial(Problem, file.label), problems)

    def stage_table(self, table: Table) -> None:
        """Stage a file whose rows are in a table already; errors are those of ``stage_text``."""
        columns = {meaning: f'"{meaning}"' for meaning in table.columns}
        if self.options.form in IMPLYING:
            self._stage_implied(f"({table.query})", columns, table.source.label)
        else:
            self._insert(f"({table.query})", columns, "order by row")
            self._check(table.unit, table.problem, ProblemList(), table)

    def stage_data(self, data: Any) -> None:
        """Stage judgments in memory.

        ``data`` is {topic: {document: grade}}, or a frame with columns for topic, document and grade, and iteration if
        there is one; for preferences with columns for topic, group, document and level, and subgroup if there is one.
        Pairs and families are rows, frames, or {topic: [document, ...]}.

        Raises:
            InputError: as ``stage_text``; lines count rows from 1. A grade must be a whole number.
            UsageError: columns missing or of a type that does not name things.
        """
        with registered(self.database, data, self.options.form, self.options.columns) as (view, found):
            if self.options.form in IMPLYING:
                self._stage_implied(view, found, self.name)
                return
            check_rows(self.database, self.name, view, found, {self._number: self._number == "grade"})
            self._insert(view, found)
        self._check("row", partial(Problem, self.name), ProblemList())

    def _insert(self, view: str, found: Mapping[str, str], order: str = "") -> None:
        """Stage the rows of a view; ``found`` has its columns by meaning. A group without one is 0."""
        selected = [f"row_number() over ({order})"]
        for column, kind in list(self._columns.items())[1:]:
            meaning = column.removeprefix("judgment_")
            value = f"cast({found[meaning]} as {kind})" if meaning in found else "'0'"
            selected.append(f"coalesce({value}, '0')" if meaning in ("group", "subgroup", "iteration") else value)
        self.database.execute(f"insert into staged_qrels_rows select {', '.join(selected)} from {view}")

    def _stage_implied(self, view: str, found: Mapping[str, str], label: str) -> None:
        listed = ", ".join(f'cast({column} as varchar) as "{meaning}"' for meaning, column in found.items())
        rows = f"select {listed} from {view}"
        missing = " or ".join(f"{meaning} is null or {meaning} = ''" for meaning in found)
        ((self.num_rows, bad),) = self.database.rows(f"select count(*), count(*) filter ({missing}) from ({rows})")
        if bad:
            reason = f"{self.options.form}: {' or '.join(found)} is missing in {counted(bad, 'row')}"
            raise InputError([Problem(label, 0, reason)])
        self.notices = stage_implied(
            self.database, label, rows, self.options.form, self.options.queries, with_self=self.options.with_self
        )

    def _check(
        self,
        unit: str,
        problem_at: Callable[[int, str], Problem],
        problems: ProblemList,
        table: Table | None = None,
    ) -> None:
        """Count the staged rows, and refuse those that contradict earlier ones, or keep the best of repeated judgments.

        Args:
            unit: what messages count, lines or rows.
            problems: those of lines that could not be read.
            table: where the rows come from, if they are in one.
        """
        database, in_groups = self.database, self.options.form == "groups"
        count = "select count(*) from staged_qrels_rows"
        ((self.num_rows,),) = database.rows(count)
        if not self.num_rows and not problems:
            problems.add(problem_at(0, "holds no rows"))
        if self.options.keep_best:
            problems.check()
            best = relation_query(database.catalog, "best_judgments", {"staged": _ALL}, in_groups=in_groups)
            database.execute(f"create or replace temp table staged_qrels_rows as\n{best}")
            ((num_kept,),) = database.rows(count)
            self.duplicates = self.num_rows - num_kept
            return
        repeated = relation_query(database.catalog, "repeated_staged_judgments", {"staged": _ALL}, in_groups=in_groups)
        found = database.rows(f"{_ALL if self.options.are_preferences else repeated}\norder by line")
        lines = dict(enumerate((line for line, _ in table.rows("topic")), start=1)) if table and found else {}
        if self.options.are_preferences:
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

    def store(self, run_ids: Iterable[int] = (), *, replace: bool) -> tuple[int, list[tuple[int, int]]]:
        """Put the rows into the base tables within the caller's transaction, and evaluate runs with them.

        Args:
            run_ids: the runs, beside those that judgments of the same name evaluate, which these replace.

        Returns:
            The qrels_id, and the pairs of it and the run_id of each run.
        """
        database, options = self.database, self.options
        replaced = make_room_for_judgments(database, self.name, replace)
        qrels_id = base_rows.next_id(database, "qrels", "qrels_id")
        form = "grades" if options.form in IMPLYING else options.form
        row = (qrels_id, self.name, form, self.duplicates, "\n".join(self.comments))
        columns = ("qrels_id", "qrels", "form", "duplicates", "comments")
        base_rows.add_rows(database, "qrels", columns, [row], options.meta or {})
        rows = f"select *, 0 as file_id from ({_ALL})"
        base_rows.add_names(database, rows)
        table = "preferences" if options.are_preferences else "assessments"
        inputs = {"staged": rows, "staged_files": f"select 0 as file_id, {qrels_id} as owner_id"}
        database.insert(table, relation_query(database.catalog, f"new_{table}", inputs))
        inputs = {"new_qrels": f"select {qrels_id} as qrels_id"}
        database.insert("judged_documents", relation_query(database.catalog, "new_judged_documents", inputs))
        base_rows.forget_names(database)
        database.execute("drop table staged_qrels_rows")
        take_over(database, qrels_id, replaced.qrels_id)
        pairs = [(qrels_id, run_id) for run_id in sorted(replaced.run_ids.union(run_ids))]
        base_rows.add_evaluations(database, pairs)
        return qrels_id, pairs


def _stage_clean(database: Database, source: Source, form: str) -> int:
    """Stage judgments by the engine's reader; returns how many, 0 if they need the exact one for any reason."""
    with scratch_folder() as folder:
        _, text = source.inspect(Path(folder), "text")
        if not text.is_plain:
            return 0
        raw = f"select * from {reader([text.path])}"
        clean = relation_query(database.catalog, "clean_qrels_rows", {"raw": raw})
        database.execute(f"create or replace temp table staged_qrels_rows as\n{clean}")
    ((rejected,),) = database.rows("select count(*) from reject_errors")
    database.execute("drop table reject_errors; drop table reject_scans")
    ((num_rows, doubtful),) = database.rows("select count(*), count(*) filter (doubtful) from staged_qrels_rows")
    judgment = "topic, document, iteration" if form == "groups" else "topic, document"
    repeated = f"select 1 from staged_qrels_rows group by {judgment} having count(*) > 1 limit 1"
    return 0 if rejected or doubtful or database.rows(repeated) else int(num_rows)


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
