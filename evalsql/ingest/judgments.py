"""Judgments on their way into the base tables: staged with their lines or implied by pairs and families, stored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import Any

from evalsql.database.database import Database
from evalsql.database.disk import scratch_folder
from evalsql.errors import ProblemList, UsageError, input_error, warn
from evalsql.ingest import base_rows
from evalsql.ingest.base_rows import make_room_for_judgments, take_over
from evalsql.ingest.files import trec_text
from evalsql.ingest.files.input_files import judgments_of, open_one_source, open_sources, stem
from evalsql.ingest.files.source import Source
from evalsql.ingest.files.table import TREC_TEXT, Table, note_left_out
from evalsql.ingest.files.tables import Tables
from evalsql.ingest.files.trec_text import Notes, RowReader, reader, rejected_paths, text_lines
from evalsql.ingest.frames import put
from evalsql.ingest.load_options import IMPLYING, NUGGETS, SAMPLED, JudgmentOptions
from evalsql.ingest.ranking import check_span_rows
from evalsql.literals import quoted
from evalsql.phrases import counted

# Columns of the staged rows, by form where they are not those of grades; line is that of the file, or the row's number.
_GRADED = "line topic iteration document grade"
_COLUMNS = {
    "preferences": "line topic judgment_group subgroup document level",
    "spans": "line topic document start end grade",
    NUGGETS: "line topic nugget importance text",
    **dict.fromkeys(SAMPLED, f"{_GRADED} stratum probability"),
}
_TYPES = {"line": "bigint", **dict.fromkeys(("grade", "start", "end"), "integer")}  # those of text are varchar
_TYPES |= dict.fromkeys(("level", "probability"), "double")
_READERS: Mapping[str, RowReader] = {
    "preferences": trec_text.preference_rows,
    **{form: partial(trec_text.sampled_rows, form=form) for form in SAMPLED},
}
# What stands for these in rows of a table, by form. Without methods all that is judged was drawn, as by method 1.
_COLUMNS_OF = {
    "spans": 'topic, document, start, "end", coalesce(grade, 1)',
    "strata": "topic, iteration, document, grade, stratum, null",
    "probabilities": "topic, '0', document, grade, coalesce(method, '1'), probability",
}
_ALL, _COUNT = "select * from staged_qrels_rows", "select count(*) from staged_qrels_rows"
_FAULTS = {"preferences": "preference_faults", NUGGETS: "nugget_faults"}  # relations by form, where of its own
# Documents by level, of each subgroup of one judgment group.
_Group = dict[str, dict[float, list[str]]]
MOST_PAIRS = 200_000_000
_QUERIES = "family_queries"


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
        note_left_out(tables.by_label.values(), options.form)
        if name is None:
            name = Path(source).resolve().name if is_folder else stem(file.label)
        staged = StagedJudgments(database, name, options, file, is_plain=tables.are_trec and not is_folder)
        if table := tables.by_label.get(file.label):
            staged.stage_table(table)
        else:
            staged.stage_text(file)
        staged.notices.insert(0, tables.describe_formats([file]) + (f", {path}" if is_folder else ""))
        yield staged


@dataclass
class StagedJudgments:
    """Judgments in the temporary table ``staged_qrels_rows``, with their origin; ``duplicates`` were left out."""

    database: Database
    name: str
    options: JudgmentOptions
    source: Source | str = base_rows.IN_MEMORY
    num_rows: int = 0
    duplicates: int = 0
    comments: Sequence[str] = ()
    notices: list[str] = field(default_factory=list)
    is_plain: bool = True  # a file that was named, of TREC text

    def __post_init__(self) -> None:
        columns = _COLUMNS.get(self.options.form, _GRADED).split()
        self._columns = {name: _TYPES.get(name, "varchar") for name in columns}
        self.database.make_empty("staged_qrels_rows", self._columns)

    def stage_text(self, file: Source) -> None:
        """Stage a TREC file: by the engine's reader, or line by line where something is to be said of a line.

        Raises InputError for bad lines, repeated judgments, preferences that contradict each other, no rows at all.
        """
        options = self.options
        if options.are_spans:
            raise file.error("spans need names of columns, in a header or JSON: topic, document, start, end, grade")
        if options.form == NUGGETS:
            raise file.error("nuggets are JSON lines, or a table whose header names topic, nugget and importance")
        self.num_rows = 0 if options.form in _READERS else _stage_clean(self.database, file, options.form)
        if self.num_rows:
            return
        self.database.make_empty("staged_qrels_rows", self._columns)
        notes, problems = Notes(), ProblemList()
        read = _READERS.get(options.form, trec_text.qrels_rows)
        rows = ((line, *row) for line, row in read(file, notes, problems.add))
        base_rows.add_rows(self.database, "staged_qrels_rows", [*self._columns], rows)
        self.comments = notes.comments
        self._check(Table(self.database, file, TREC_TEXT, has_lines=True), problems)

    def stage_table(self, table: Table) -> None:
        """Stage rows that are in a table already; errors are those of ``stage_text``."""
        if self.options.form in IMPLYING:
            self.num_rows, self.notices = table.num_rows, stage_implied(self.database, table, self.options)
            return
        columns = ", ".join(f'"{name.removeprefix("judgment_")}"' for name in self._columns if name != "line")
        columns = _COLUMNS_OF.get(self.options.form, columns)
        rows, names = f"select row, {columns} from ({table.query})", ", ".join(map(quoted, self._columns))
        self.database.insert("staged_qrels_rows", f"select * from ({rows}) as staged({names})")
        self._check(table, ProblemList())

    def stage_data(self, data: Any) -> None:
        """Stage judgments in memory; errors are those of ``stage_text`` and of ``Tables.read_data``."""
        with Tables(self.database, self.options.form, self.options.columns, ProblemList()) as tables:
            self.stage_table(table := tables.read_data(data, self.name))
        note_left_out([table], self.options.form)

    def _check(self, origin: Table, problems: ProblemList) -> None:
        """Count the staged rows, and refuse those that contradict earlier ones, or keep the best of repeated ones."""
        database, form, staged = self.database, self.options.form, {"staged": _ALL}
        in_groups = {"in_groups": form == "groups"}
        ((self.num_rows,),) = database.rows(_COUNT)
        if not self.num_rows and not problems:
            problems.add(origin.problem(0, "holds no rows"))
        if self.options.keep_best:
            problems.check()
            database.make("staged_qrels_rows", database.query("best_judgments", staged, **in_groups))
            ((num_kept,),) = database.rows(_COUNT)
            self.duplicates = self.num_rows - num_kept
            return
        if self.options.are_spans:
            check_span_rows(origin, self.options)
        else:
            faults = _FAULTS.get(form, "judgment_faults")
            how = {} if form in _FAULTS else in_groups
            problems.extend(origin.faults(database.query(faults, staged, **how)))
        if self.options.are_preferences:
            levels = database.rows(f"{database.query('preference_levels', staged)}\norder by first_line")
            problems.extend(origin.problem(0, reason) for reason in _contradictions(levels))
        if self.options.are_sampled:
            problems.extend(origin.faults(database.query("sample_faults", staged, form=form)))
            self.notices += database.column(database.query("sample_remarks", staged, form=form))
        problems.check()

    def store(self, run_ids: Iterable[int] = (), *, replace: bool) -> tuple[int, list[tuple[int, int]]]:
        """Put the rows into the base tables within the caller's transaction, and evaluate runs with them.

        Returns the qrels_id, and the pairs of it and the run_id of each run: of those given, and of those that replaced
        judgments of the same name evaluate. Where none is given, runs that wait for judgments and have a topic of these
        are.
        """
        database, options = self.database, self.options
        replaced_id, replaced_runs = make_room_for_judgments(database, self.name, replace)
        qrels_id = base_rows.next_id(database, "qrels", "qrels_id")
        form = "grades" if options.form in IMPLYING else options.form
        row = (qrels_id, self.name, form, self.duplicates, "\n".join(self.comments))
        columns = ("qrels_id", "qrels", "form", "duplicates", "comments")
        base_rows.add_rows(database, "qrels", columns, [row], options.meta or {})
        rows = f"select *, 0 as file_id from ({_ALL})"
        if form == NUGGETS:
            if run_ids:
                raise UsageError("nuggets evaluate answers and no rankings; evalsql load assignments takes the answers")
            base_rows.add_topics(database, rows)
            database.insert("nuggets", database.query("new_nuggets", {"staged": rows}, qrels_id=qrels_id))
            database.drop("staged_qrels_rows", "staged_topics")
            take_over(database, qrels_id, replaced_id)
            return qrels_id, []
        base_rows.add_names(database, rows)
        table = "preferences" if options.are_preferences else "assessments"
        inputs = {"staged": rows, "staged_files": f"select 0 as file_id, {qrels_id} as owner_id"}
        if options.are_spans:
            unit = (options.meta or {})["unit"]
            database.insert("judged_spans", database.query("new_judged_spans", inputs, unit=unit))
            inputs["staged"] = database.query("span_assessments", inputs)
        database.insert(table, database.query(f"new_{table}", inputs))
        if options.are_sampled:
            database.insert("judgment_samples", database.query("new_judgment_samples", inputs, form=form))
        inputs = {"new_qrels": f"select {qrels_id} as qrels_id"}
        if options.are_spans:
            self.notices += database.column(database.query("span_remarks", inputs))
        database.insert("judged_documents", database.query("new_judged_documents", inputs))
        database.drop("staged_qrels_rows", "staged_topics", "document_ids")
        take_over(database, qrels_id, replaced_id)
        inputs["judged_topics"] = f"select topic_id from {table} where qrels_id = {qrels_id}"
        runs = replaced_runs.union(run_ids or database.column(database.query("waiting_runs", inputs)))
        pairs = [(qrels_id, run_id) for run_id in sorted(runs)]
        base_rows.add_evaluations(database, pairs)
        return qrels_id, pairs


def _stage_clean(database: Database, source: Source, form: str) -> int:
    """Stage judgments by the engine's reader; returns how many, 0 if they need the exact one for any reason."""
    with scratch_folder() as folder:
        text = source.plain_text(Path(folder, "text"))
        if not text:
            return 0
        raw = f"select * from {reader([text])}"
        database.make("staged_qrels_rows", database.query("clean_qrels_rows", {"raw": raw}))
    rejected = rejected_paths(database)
    ((num_rows, doubtful),) = database.rows("select count(*), count(*) filter (doubtful) from staged_qrels_rows")
    judgment = "topic, document, iteration" if form == "groups" else "topic, document"
    repeated = f"select 1 from staged_qrels_rows group by {judgment} having count(*) > 1 limit 1"
    return 0 if rejected or doubtful or database.rows(repeated) else int(num_rows)


def _contradictions(rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """What is wrong with groups in which a document is preferred to another and that one to it, be it by others.

    Rows are those of ``preference_levels`` in the order of their first lines. Different groups may disagree.
    """
    groups: dict[tuple[str, str], _Group] = defaultdict(lambda: defaultdict(dict))
    for topic, group, subgroup, level, documents, _ in rows:
        groups[topic, group][subgroup][level] = documents
    for (topic, group), subgroups in groups.items():
        if circle := _cycle(subgroups):
            links = ", ".join(f"{better} to {worse}" for better, worse in pairwise([*circle, circle[0]]))
            yield f"group {group} of topic {topic} contradicts itself, preferring {links}"


def _cycle(group: _Group) -> list[str]:
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


def stage_implied(database: Database, table: Table, options: JudgmentOptions) -> list[str]:
    """Put judgments of grade 1 that pairs or families imply into the table ``staged_qrels_rows``; returns notices."""
    pairs, notices, is_family = table.query, list[str](), options.form == "families"
    if is_family:
        queries = f"select distinct member as query from ({table.query})"
        if options.queries is not None:
            queries, notices = f"select query from {_QUERIES}", _stage_queries(database, table, options.queries)
        inputs = {"members": table.query, "queries": queries}
        ((num_pairs,),) = database.rows(database.query("num_family_pairs", inputs))
        if num_pairs > MOST_PAIRS:
            raise table.source.error(
                f"families: they make {num_pairs:,} relevant pairs, more than {MOST_PAIRS:,}; --queries names the "
                "members that are searched for"
            )
        pairs = database.query("family_pairs", inputs)
    judged = database.query("pair_judgments", {"pairs": pairs}, with_self=options.with_self)
    database.insert("staged_qrels_rows", judged)
    database.drop(_QUERIES)
    ((num_pairs, num_topics),) = database.rows("select count(*), count(distinct topic) from staged_qrels_rows")
    if not num_pairs:
        what = "no family has two members that could be relevant to each other" if is_family else "no pairs"
        raise table.source.error(f"{options.form}: {what}")
    if is_family:
        narrowed = "" if options.queries else "; --queries, in Python queries=, names those that were searched for"
        notices.append(
            f"families: {counted(table.num_rows, 'row')} make {counted(num_pairs, 'relevant pair')} of "
            f"{counted(num_topics, 'query', 'queries')}, the query itself left out{narrowed}"
        )
    elif selves := database.column(f"select topic from ({pairs}) where topic = document and not {options.with_self}"):
        told = f"{counted(len(selves), 'pair')} of a topic and a document of its name left out, such as {selves[0]}"
        warn(str(table.problem(0, f"{told}; --with-self, in Python with_self=True, keeps them")))
    return notices


def _stage_queries(database: Database, table: Table, queries: str | Path | Iterable[str]) -> list[str]:
    """Put the members that are topics into a table; returns notices."""
    names = list(dict.fromkeys(_query_names(queries)))
    put(database, _QUERIES, {"query": names})
    absent = f"from {_QUERIES} where query not in (select member from ({table.query}))"
    ((num_absent, first),) = database.rows(f"select count(*), min(query) {absent}")
    if num_absent == len(names):
        raise table.source.error(f"families: none of {counted(num_absent, 'query name')} is a member")
    told = f"{num_absent:,} of {len(names):,} queries are in no family and are no topics, such as {first}"
    return [told] if num_absent else []


def _query_names(queries: str | Path | Iterable[str]) -> list[str]:
    """Names of queries: given as such, the first words of lines, or those of a FASTA file behind >."""
    if not isinstance(queries, str | Path):
        return [str(name) for name in queries]
    problems, names = ProblemList(), list[str]()
    with open_sources(queries, problems) as sources:
        for source in sources:
            lines = [line for _, line in text_lines(source, problems.add, blank=False)]
            if lines and lines[0].startswith(">"):
                lines = [line[1:] for line in lines if line.startswith(">")]
            names += [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]
    problems.check()
    if not names:
        raise input_error(queries, "queries: holds no name")
    return names
