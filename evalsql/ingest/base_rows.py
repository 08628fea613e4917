"""What loads do with the base tables: rows that all add, runs and judgments that go, and what may mislead in them."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any

from evalsql.database.database import Database
from evalsql.database.names import Names, resolve_names
from evalsql.errors import USE_REPLACE, UsageError, warn
from evalsql.ingest.files.source import IN_MEMORY as IN_MEMORY
from evalsql.ingest.files.source import Source, in_batches
from evalsql.ingest.load_options import Meta
from evalsql.literals import rows_query
from evalsql.phrases import counted, shortened
from evalsql.version import __version__

OF_ANSWERS = {"assignments": "nugget_assignments", "citations": "answer_citations"}  # tables by what is loaded
FileRow = tuple[str, int, str, str | None, int | None, int]  # columns of the table files
NOW = "current_timestamp at time zone 'UTC'"
_ROWS_INSERTED = 100_000  # at once, so that memory stays bounded
_ROWS_TOGETHER = 6_000_000  # retrieved documents whose judged ones are ranked at once


def add_names(database: Database, staged: str) -> None:
    """Give keys to the topics and documents that a SELECT of staged rows names and that have none.

    Afterwards the temporary tables ``staged_topics`` and ``document_ids`` have all that the rows name.
    """
    add_topics(database, staged)
    database.make("document_ids", database.query("document_ids", {"staged": staged}))
    database.insert("documents", "select document_id, document from document_ids where is_new")


def add_topics(database: Database, staged: str) -> None:
    database.make("staged_topics", database.query("staged_topics", {"staged": staged}))
    database.insert("topics", database.query("new_topics"))


def next_id(database: Database, table: str, key: str) -> int:
    ((following,),) = database.rows(f"select coalesce(max({key}), 0) + 1 from {table}")
    return int(following)


def file_row(kind: str, key: int, source: Source | str, num_rows: int, sha256: str = "") -> FileRow:
    """What the table ``files`` says of the source of a run or judgment set with a key: a file, or a text for data."""
    if isinstance(source, str):
        return kind, key, source, None, None, num_rows
    return kind, key, source.label, sha256 or source.sha256(), source.path.stat().st_size, num_rows


def add_file_rows(database: Database, *rows: FileRow) -> None:
    add_rows(database, "files", ("kind", "id", "file", "sha256", "bytes", "num_rows"), rows)


def add_rows(
    database: Database, table: str, columns: Sequence[str], rows: Iterable[Sequence[object]], meta: Meta = None
) -> None:
    """Add rows to a table, as many as there may be; with ``meta``, even if empty, and with the time and the version."""
    selected = ", ".join(f"unnest(?) as {column}" for column in columns)
    further: list[object] = []
    if meta is not None:
        selected += ", map(?::varchar[], ?::varchar[]) as meta, ? as evalsql_version"
        selected += f", {NOW} as loaded_at"
        further = [list(meta), list(meta.values()), __version__]
    remaining = iter(rows)
    while some := list(islice(remaining, _ROWS_INSERTED)):
        values = [list(column) for column in zip(*some, strict=True)]
        database.insert(table, f"select {selected}", values + further)


def add_evaluations(database: Database, pairs: Sequence[tuple[int, int]], retrieved: str | None = None) -> None:
    """Add the evaluations of new pairs of qrels_id and run_id, and the ranks of their judged documents.

    Runs without rankings are left out, which would get zeros. ``retrieved`` is a SELECT
    of the runs' rows as the base table has them, where they are not in it.
    """
    unranked = {run_id for run_id, _ in database.rows(database.query("unranked_runs"))}
    if left_out := {run_id for _, run_id in pairs} & unranked:
        warn(f"{counted(len(left_out), 'run')} left out: to evaluate takes rankings, and none are here")
        pairs = [pair for pair in pairs if pair[1] not in left_out]
    if pairs:
        new_pairs = {"new_pairs": pairs_query(pairs)}
        for qrels, judged, run, retrieved_in in database.rows(database.query("unequal_units", new_pairs)):
            raise UsageError(
                f"judgments {qrels} have spans in {judged} and run {run} in {retrieved_in}, so that none would match; "
                "--unit says what start and end count, and --qrels which judgments are for a run"
            )
        database.insert("evaluations", database.query("new_evaluations", new_pairs))
        rank_judged(database, pairs, retrieved)


def rank_judged(database: Database, pairs: Sequence[tuple[int, int]], retrieved: str | None = None) -> None:
    """Fill ``judged_ranks`` for pairs in the order of their evaluations, some at a time, so that memory is bounded."""
    sizes = dict(database.rows("select run_id, sum(num_ret) from run_topics group by run_id")) if len(pairs) > 1 else {}
    rows = {"retrieved": retrieved} if retrieved else {}
    for some in in_batches(pairs, lambda pair: sizes.get(pair[1], 0), _ROWS_TOGETHER):
        ranks = database.query("judged_ranks_rows", {"new_pairs": pairs_query(some)} | rows)
        database.insert("judged_ranks", ranks)


def pairs_query(pairs: Iterable[tuple[int, int]]) -> str:
    return rows_query("qrels_id, run_id", pairs)


def drop(database: Database, kind: str, names: Names) -> list[str]:
    """Delete runs ("run") or judgment sets ("qrels"), all or none, by names or globs; returns the deleted names."""
    with database.transaction():
        gone = resolve_names(database, kind, names, with_replaced=True)
        delete(database, kind, *gone.ids)
        unused = f"select id from ({database.query('unused_names')}) where relation ="
        for table, column in (("documents", "document_id"), ("topics", "topic_id")):
            database.execute(f"delete from {table} where {column} in ({unused} '{table}')")
        database.execute("delete from document_texts where document_id not in (select document_id from documents)")
        database.execute("delete from files where kind = 'documents' and not exists (select 1 from document_texts)")
    return sorted(gone)


def delete(database: Database, kind: str, *keys: int) -> None:
    """Delete runs ("run") or judgment sets ("qrels"), with the runs of which only scores by these sets are stored."""
    if not keys:
        return
    among = f"({', '.join(map(str, keys))})"
    if kind == "qrels":
        held = (f"select qrels_id, run_id from {table}" for table in ("stored_scores", *OF_ANSWERS.values()))
        figures = " union all ".join(held)
        unranked = f"select run_id from ({figures}) where run_id not in (select run_id from run_topics)"
        stored, others = (f"{unranked} and qrels_id {word} {among}" for word in ("in", "not in"))
        runs = database.column(f"select distinct run_id from ({stored}) order by run_id")
        if runs:
            what = f"stored scores, assignments or citations of {counted(len(runs), 'run')}"
            warn(f"the {what} went with the judgments they were made with")
        elsewhere = {*database.column(others)} if runs else set()
        delete(database, "run", *[run_id for run_id in runs if run_id not in elsewhere])
    owned = f"select kind, id from ({database.query('file_owners')}) where {kind}_id in {among}"
    database.execute(f"delete from files where (kind, id) in ({owned})")
    database.execute(f"delete from meta_changes where kind = '{kind}' and id in {among}")
    evaluations = f"select evaluation_id from evaluations where {kind}_id in {among}"
    database.execute(f"delete from judged_ranks where evaluation_id in ({evaluations})")
    for table in database.catalog.of_kind("tables"):
        if f"{kind}_id" in table.columns:
            database.execute(f"delete from {table.name} where {kind}_id in {among}")


def annotate(database: Database, kind: str, names: Names, changes: Mapping[str, str | None]) -> list[str]:
    """Change meta of runs ("run") or judgment sets ("qrels"), None taking a key out; returns those that differed."""
    with database.transaction():
        found = resolve_names(database, kind, names)
        table = "runs" if kind == "run" else kind
        owners = f"select {kind}_id as id, meta from {table} where {kind}_id in ({', '.join(map(str, found.ids))})"
        wanted = f"select key, value::varchar as value from ({rows_query('key, value', [*changes.items()])})"
        inputs = {"owners": owners, "wanted": wanted}
        changed = database.query("meta_differences", inputs)
        made = f"'{kind}' as kind, {NOW} as changed_at, '{__version__}' as evalsql_version"
        ids = {*database.column(f"select id from ({changed})")}
        database.insert("meta_changes", f"select *, {made} from ({changed}) order by id, key")
        annotated = database.query("annotated_meta", inputs)
        database.execute(f"update {table} set meta = new.meta from ({annotated}) as new where {kind}_id = new.id")
    return [name for name, key in zip(found, found.ids, strict=True) if key in ids]


def check_free(taken: Iterable[str], replace: bool, what: str = "") -> None:
    """Raise UsageError where something is held that is not to be replaced."""
    if not replace and (held := [*taken]):
        raise UsageError(f"already loaded: {what}{shortened(held)}; {USE_REPLACE}")


def make_room_for_runs(
    database: Database, names: Sequence[str], qrels: Sequence[str], replace: bool, own: Mapping[str, set[int]] = {}
) -> dict[str, set[int]]:
    """Delete the runs that are to be replaced; returns by name the keys of the judgment sets to evaluate each with.

    A run that names its ``own`` sets gets these, even where they are none. Others get the sets asked for, else the only
    one there is. All keep those of the run that they replace.
    """
    held = dict(database.rows("select run, run_id from runs"))
    taken = [name for name in names if name in held]
    check_free(taken, replace)
    sets = database.rows("select qrels_id, qrels, form = 'nuggets' from qrels where replaced_at is null order by qrels")
    present = {key: name for key, name, is_nuggets in sets if not is_nuggets}
    asked = resolve_names(database, "qrels", qrels)
    if nuggets := [name for _, name, is_nuggets in sets if is_nuggets and name in asked]:
        raise UsageError(f"{nuggets[0]} holds nuggets, which no ranking has; evalsql load assignments takes answers")
    wanted = {*present} if not qrels and len(present) == 1 else {*asked.ids}
    wanted_by = {name: set(own.get(name, wanted)) for name in names}
    for name in taken:
        in_use = database.column(f"select distinct qrels_id from evaluations where run_id = {held[name]}")
        wanted_by[name] |= present.keys() & in_use
    for what, tables in {"costs": ("costs",), "assignments and citations": OF_ANSWERS.values()}.items():
        keys = {key for table in tables for key in database.column(f"select distinct run_id from {table}")}
        if lost := [name for name in taken if held[name] in keys]:
            warn(f"the {what} of {shortened(lost)} went with what is replaced; load them again")
    delete(database, "run", *[held[name] for name in taken])
    if not qrels and len(present) > 1 and not all(wanted_by[name] for name in names if name not in own):
        raise UsageError(f"there are several judgment sets, say which to evaluate with: {', '.join(present.values())}")
    return wanted_by


def make_room_for_judgments(database: Database, name: str, replace: bool) -> tuple[int | None, set[int]]:
    """Rename a judgment set that is to be replaced to the next free version, such as robust04@2.

    It still evaluates its runs, so earlier figures can be asked for by that name. Returns its key, if there is one, and
    those of its runs.
    """
    held = {each: rest for each, *rest in database.rows("select qrels, qrels_id, replaced_at is null from qrels")}
    if name not in held:
        return None, set()
    qrels_id, is_current = held[name]
    if not replace:
        raise UsageError(f"judgments {name} are already loaded; {USE_REPLACE}")
    if not is_current:
        raise UsageError(
            f"judgments {name} are an earlier version, which is kept as it is; load these under another name, or "
            f"delete {name} first: evalsql drop qrels {shlex.quote(name)}"
        )
    version = next(f"{name}@{number}" for number in count(1) if f"{name}@{number}" not in held)
    renamed = f"update qrels set qrels = ?, replaced_at = {NOW} where qrels_id = ?"
    database.execute(renamed, [version, qrels_id])
    runs = database.column(f"select distinct run_id from evaluations where qrels_id = {qrels_id}")
    return qrels_id, {*runs}


def take_over(database: Database, qrels_id: int, replaced_id: int | None) -> None:
    """Copy texts and groups of topics from the replaced judgment set, if it has the same form; delete it if equal."""
    both = f"({qrels_id}, {replaced_id})"
    if replaced_id is None or database.rows(
        f"select 1 from qrels where qrels_id in {both} having count(distinct form) > 1"
    ):
        return
    for table, key, chosen in (("topic_meta", "qrels_id", ""), ("files", "id", "and kind like 'topics.%'")):
        columns = f"select * replace ({qrels_id} as {key}) from {table}"
        database.insert(table, f"{columns} where {key} = {replaced_id} {chosen}")
    differing = database.query("judgment_differences", {}, qrels_id=qrels_id, other_id=replaced_id)
    if not database.rows(f"select 1 from ({differing}) limit 1"):
        for kind, table in OF_ANSWERS.items():
            database.execute(f"update {table} set qrels_id = {qrels_id} where qrels_id = {replaced_id}")
            database.execute(f"update files set kind = '{kind}.{qrels_id}' where kind = '{kind}.{replaced_id}'")
        delete(database, "qrels", replaced_id)


@dataclass
class LoadWarnings:
    """What was found of the runs or judgments of one load."""

    rounded: list[tuple[Any, ...]] = field(default_factory=list)  # runs, how many documents only 32 bits tie, and two
    opposed: list[str] = field(default_factory=list)  # names of runs
    tags: list[tuple[str, list[str]]] = field(default_factory=list)  # files with several, and these
    texts: list[str] = field(default_factory=list)

    def note_overlaps(self, database: Database, pairs: Sequence[tuple[int, int]], ranked: str | None = None) -> None:
        """Find pairs of (qrels_id, run_id), evaluated already, with next to nothing in common."""
        if pairs:
            inputs = {"new_pairs": pairs_query(pairs), "ranked": ranked or "select * from retrieved"}
            self.texts += database.remarks("overlap_remarks", inputs)

    def note_repeated_files(self, database: Database, kind: str, ids: Sequence[int]) -> None:
        """Find the new runs ("run") or judgments ("qrels") whose files are held under another name as well."""
        self.texts += database.remarks("file_remarks", {"new_ids": _listed(ids)}, kind=kind)

    def note_irrelevance(self, database: Database, qrels_id: int) -> None:
        self.texts += database.remarks("relevance_remarks", {"new_ids": _listed([qrels_id])})

    def warn(self, *, lower_is_better: bool = False) -> None:
        for text in self.lines(lower_is_better=lower_is_better):
            warn(text)

    def lines(self, *, lower_is_better: bool = False) -> list[str]:
        lines: list[str] = []
        if self.rounded:
            (run, _, topic, *pair), total = self.rounded[0], sum(row[1] for row in self.rounded)
            lines.append(
                f"{counted(total, 'document')} in {counted(len(self.rounded), 'run')} tie only in 32-bit precision, "
                f"which trec_eval 9 uses, such as {' and '.join(pair)} of topic {topic} in {run}; "
                '--tie-rule trec_eval_10, in Python tie_rule="trec_eval_10", compares 64 bits'
            )
        if self.opposed:
            order, remedy = ("smaller", "leave out") if lower_is_better else ("greater", "give")
            lines.append(
                f"{counted(len(self.opposed), 'run')}, the first being {self.opposed[0]}: ranks and scores in the "
                f"file contradict each other or are exchanged, {order} scores being held for better; {remedy} "
                "--lower-is-better, or exchange the columns rank and score"
            )
        if self.tags:
            file, tags = self.tags[0]
            lines.append(
                f"{counted(len(self.tags), 'file')}, the first being {file}: rows with {len(tags)} tags "
                f"({shortened(tags)}), which are loaded as one run; split the file if they are several"
            )
        return lines + self.texts


def _listed(ids: Sequence[int]) -> str:
    return f"select unnest({[*ids]}::integer[]) as id"
