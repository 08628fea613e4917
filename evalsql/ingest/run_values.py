"""Loads values of runs beside their rankings: what they cost, what was judged of their answers and citations."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NamedTuple

from evalsql.database.database import Database
from evalsql.database.names import Names, as_list, only_qrels, replaced_qrels, resolve_one
from evalsql.errors import Problem, ProblemList, UsageError, warn
from evalsql.ingest.base_rows import IN_MEMORY, OF_ANSWERS, add_file_rows, add_rows, check_free, file_row
from evalsql.ingest.column_meanings import MEANINGS, Given, all_meanings, check_given, known
from evalsql.ingest.files.formats import without_rows
from evalsql.ingest.files.input_files import open_sources, paths_in, stem
from evalsql.ingest.files.source import NOT_UTF8, Source, unreadable
from evalsql.ingest.files.table import Table
from evalsql.ingest.files.tables import Tables
from evalsql.ingest.files.trec_text import Refuse
from evalsql.ingest.load_options import NUGGETS, Meta
from evalsql.ingest.loader import checked_name
from evalsql.ingest.topic_files import Record, in_memory, read_records
from evalsql.literals import literal

_METADATA = re.compile(r"\.ya?ml(\.\w+)?$|ir[_-]?metadata(\.\w+)?$", re.IGNORECASE)
_ENTRY = re.compile(r"( *)[\"']?([^\s#'\"-][^:'\"]*)[\"']?:(?:\s+(.*?))?(?:\s+#.*)?")
_NO_COST = re.compile(r"(\d{4}-\d\d-\d\d|\[).*|")  # a time, a list, or what stands on the lines below
_AMOUNT = re.compile(r"(null|[-+.\d][-+.\deE]*)(?: ([A-Za-z%]+))?")
_COLUMNS = {"file": "varchar", "line": "bigint", **dict.fromkeys(("run", "topic", "call", "cost", "value"), "varchar")}
Row = tuple[int, str | None, str | None, str | None, str, str]  # as staged, without the file


class LoadedCosts(NamedTuple):
    num_values: int
    costs: Sequence[str]
    runs: Sequence[str]


def load_costs(
    database: Database,
    source: Any,
    *,
    run: str | None = None,
    costs: Names = (),
    columns: Given = None,
    replace: bool = False,
) -> LoadedCosts:
    """Keep costs of runs that are held, all or nothing.

    Args:
        source: files or globs, {run: {cost: value}}, or rows as dicts or a frame. A row has a run, perhaps a topic and
            a call, and a column for each cost, or else a cost's name and its value; ir_metadata has those of a run.
        run: whose costs they are, where the rows do not name it.
        costs: which columns are costs; by default all that are nothing else.
        columns: names of the columns for run, topic, call, cost, value and unit, where they are not known.
        replace: put them in the place of the same costs of the same runs.

    Raises:
        InputError: every line that was refused, with its reason; nothing was loaded.
        UsageError: the same costs of these runs are there.
    """
    check_given(columns, "costs")
    reader = _Reader(run and resolve_one(database, "run", run), frozenset(as_list(costs)), columns or {})
    paths, problems = paths_in(source), ProblemList()
    opened = nullcontext(list[Source]()) if paths is None else open_sources(paths, problems)
    with opened as sources, database.transaction():
        database.make_empty("staged_costs", _COLUMNS)
        read = {each.label: reader.of_source(database, each, problems.add) for each in sources}
        if paths is None:
            read[IN_MEMORY] = reader.of_records(in_memory(source, reader.keyed), IN_MEMORY)
        for label, rows in read.items():
            add_rows(database, "temp.staged_costs", [*_COLUMNS], ((label, *row) for row in rows))
        problems.check()
        staged = database.rows("select distinct file, cost from staged_costs")
        if lacking := reader.costs - {cost for _, cost in staged}:
            raise UsageError(f"no row has a number of {', '.join(sorted(lacking))}")
        problems.extend(Problem(label, 0, "holds no costs") for label in read if label not in dict(staged))
        return _store_costs(database, sources or [IN_MEMORY], problems, replace=replace)


@dataclass
class _Reader:
    """Makes a row of each number: those of ``owner`` where it is given, and of the named ``costs`` where some are."""

    owner: str | None
    costs: frozenset[str]
    columns: Mapping[str, str]

    @property
    def keyed(self) -> Given:
        """The column that every record has: the run, or else the topic of the one run."""
        return self.columns if self.owner else {"topic": self.columns.get("run", "run")}

    def of_source(self, database: Database, source: Source, refuse: Refuse) -> Iterator[Row]:
        if _METADATA.search(source.label):
            return self.of_metadata(source)
        return self.of_records(read_records(database, source, refuse, self.keyed), source.label)

    def of_records(self, records: Iterable[Record], label: str) -> Iterator[Row]:
        left_out, meanings = set[str](), cache(lambda names: known(names, "costs", self.columns))
        for record in records:
            fields, found = self.named(record.fields, label), meanings(tuple(record.fields))
            left_out |= record.left_out
            if self.owner and "run" in found:
                raise UsageError(f"{label}: its rows name their run, so that {self.owner} is not to be named")
            run, topic = self.owner or record.topic, record.topic if self.owner else fields.get(found.get("topic", ""))
            call = fields.get(found.get("call", ""))
            if "cost" in found and "value" in found:
                name = fields[found["cost"]]
                unit = f"_{fields[found['unit']]}" if "unit" in found else ""
                amounts = {name.removesuffix(unit) + unit: fields[found["value"]]}
            else:
                others = {found.get("topic"), found.get("call")}
                amounts = {name: text for name, text in fields.items() if name not in others}
            yield from ((record.line, run, topic, call, *each) for each in amounts.items() if self._takes(each[0]))
        if left_out:
            warn(Problem(label, 0, f"left out, since they are lists or objects: {', '.join(sorted(left_out))}"))

    def named(self, fields: Mapping[str, str], label: str) -> Mapping[str, str]:
        """The fields of a record; the one of {topic: number} gets the name of the one cost that is asked for."""
        if [*fields] != ["text"]:
            return fields
        if len(self.costs) != 1:
            raise UsageError(f'{label}: its numbers have no name; --cost NAME, in Python costs=["NAME"], gives it')
        return dict.fromkeys(self.costs, fields["text"])

    def of_metadata(self, source: Source) -> Iterator[Row]:
        """The numbers below ``resources`` of an ir_metadata file, called by the keys above them and their unit."""
        run, found, others = self.owner, list[tuple[int, str, str]](), list[str]()
        for number, keys, text in _entries(source):
            if not keys:
                if found:
                    raise source.error("a second document begins here, and a file has the costs of one run", number)
                continue
            run = run or (text if keys == ["tag"] else None)
            for names, value in _scalars(keys[1:], text) if keys[0] == "resources" else ():
                amount = _AMOUNT.fullmatch(value)
                name = "_".join(re.findall(r"\w+", " ".join([*names, (amount and amount[2]) or ""])))
                if amount:
                    found.append((number, name, amount[1]))
                elif not _NO_COST.fullmatch(value):
                    others.append(name)
        if others:
            warn(source.problem(0, f"left out, since they are no numbers: {', '.join(others)}"))
        if empty := [name for _, name, amount in found if amount == "null"]:
            warn(source.problem(0, f"left out, since they are null: {', '.join(empty)}"))
        if not found:
            raise source.error("has no numbers below resources, as ir_metadata with costs has")
        if not run:
            raise source.error("names no run by a tag; --run NAME, in Python run=, says whose costs they are")
        for number, name, value in found:
            if value != "null" and self._takes(name):
                yield number, run, None, None, name, value

    def _takes(self, cost: str) -> bool:
        return not self.costs or cost in self.costs


def _entries(source: Source) -> Iterator[tuple[int, list[str], str]]:
    """Line, keys from the outermost on and text of each entry of YAML; no keys where a document begins.

    Items of lists are left out, such as those of a series of measurements.
    """
    with source.open() as stream:
        try:
            lines = (raw := stream.read()).decode("utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise source.error(f"is {without_rows(raw) or NOT_UTF8}") from error
        except unreadable() as error:
            raise source.error(f"cannot be read: {error}") from error
    path: dict[int, str] = {}  # keys by how far they are indented
    for number, line in enumerate(lines, start=1):
        if entry := _ENTRY.fullmatch(line.rstrip()):
            path = {indent: key for indent, key in path.items() if indent < len(entry[1])} | {len(entry[1]): entry[2]}
            yield number, [*path.values()], (entry[3] or "").strip("'\"")
        elif line.startswith("---"):
            yield number, [], ""


def _scalars(keys: list[str], value: Any) -> Iterator[tuple[list[str], str]]:
    """What keys stand for, or each member of the JSON object that they do, as tirex-tracker's command has it."""
    if isinstance(value, str) and value.startswith("{"):
        with suppress(ValueError, RecursionError):
            value = json.loads(value)
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _scalars([*keys, name], inner)
    else:
        yield keys, value if isinstance(value, str) else json.dumps(value)


def _store_costs(
    database: Database, origins: Sequence[Source | str], problems: ProblemList, *, replace: bool
) -> LoadedCosts:
    staged, keyed = "select * from temp.staged_costs", {"staged_keys": "select * from temp.staged_cost_keys"}
    database.make("staged_cost_keys", database.query("staged_cost_keys", {"staged": staged}))
    faults = database.rows(f"{database.query('cost_problems', keyed)}\norder by file, line")
    problems.extend(Problem(*fault) for fault in faults)
    problems.check()
    replaced, new = database.query("replaced_costs", keyed), database.query("new_costs", keyed)
    taken = database.rows(f"select run, cost from ({replaced}) order by run, cost")
    check_free((f"{cost} of {run}" for run, cost in taken), replace)
    database.execute(f"delete from costs where (run_id, cost) in (select (run_id, cost) from ({replaced}))")
    database.execute("delete from files where kind = 'costs' and id not in (select run_id from costs)")
    database.insert("costs", new)
    counted = "select run_id, count(*) from staged_cost_keys where file = ? group by run_id order by run_id"
    for origin in origins:
        label, sha256 = (origin.label, origin.sha256()) if isinstance(origin, Source) else (origin, "")
        of_runs = database.rows(counted, [label])
        add_file_rows(database, *(file_row("costs", run_id, origin, count, sha256) for run_id, count in of_runs))
    num_values = f"(select count(*) from ({new}))"
    told = f"{num_values}, list(distinct cost order by cost), list(distinct run order by run)"
    ((*loaded,),) = database.rows(f"select {told} from staged_cost_keys")
    database.drop("staged_costs", "staged_cost_keys")
    return LoadedCosts(*loaded)


_ANSWERS = "select * from staged_answers"


class LoadedAnswers(NamedTuple):
    qrels: str
    runs: Sequence[str]
    num_answers: int
    num_rows: int


def load_answers(
    database: Database,
    kind: str,
    source: Any,
    *,
    qrels: str | None = None,
    name: str | None = None,
    replace: bool = False,
    meta: Meta = None,
    columns: Mapping[str, str] | None = None,
) -> LoadedAnswers:
    """Load what was judged of the answers of runs.

    Args:
        kind: assignments, of each nugget of each topic that a run answers; or citations, of its sentences.
        source: files or globs, of nuggetizer's JSON lines or tables; or rows as dicts, or a frame.
        qrels: the set of nuggets, where there are several.
        name: of the run, by default what the rows say, or the file's stem.

    Raises:
        InputError: every row that cannot be taken, and every nugget without an assignment; nothing was loaded.
        UsageError: judgments that are not nuggets, or runs of which the same is there already.
    """
    judged, qrels_id = _nugget_set(database, qrels)
    query = partial(database.query, qrels_id=qrels_id)
    known = f"select distinct run, 'unknown' as tie_rule, false as lower_is_better from ({_ANSWERS})"
    inputs = {"staged": _ANSWERS, "named_nuggets": query("named_nuggets"), "staged_runs": known}
    inputs |= {"row_faults": query(f"{kind[:-1]}_faults")}
    problems = ProblemList()
    with _staged_answers(database, kind, source, name, columns, problems) as tables:
        for at, table in enumerate(tables):
            faults = f"select line, reason from ({query('answer_faults', inputs)}) where file_id = {at}"
            problems.extend(table.faults(faults))
        problems.check()
        origins = [table.source if table.form.name else IN_MEMORY for table in tables]
        keys = "(select run, run_id from runs)"
        sizes = f"select file_id, run_id, count(*) from ({_ANSWERS}) join {keys} using (run) group by all order by all"
        with database.transaction():
            held = query("held_answers", inputs | {"held": f"from {OF_ANSWERS[kind]}"})
            _make_room_for_answers(database, kind, held, qrels_id, replace)
            new_runs, rows = database.table(database.query("new_scored_runs", inputs))
            add_rows(database, "runs", new_runs, rows, meta or {})
            database.insert(OF_ANSWERS[kind], query(f"new_{kind}", inputs))
            files = [(f"{kind}.{qrels_id}", run_id, origins[at], count) for at, run_id, count in database.rows(sizes)]
            add_file_rows(database, *(file_row(*each) for each in files))
        totals = "list(distinct run order by run), count(distinct (run, topic)), count(*)"
        ((runs, num_answers, num_rows),) = database.rows(f"select {totals} from ({_ANSWERS})")
    return LoadedAnswers(judged, runs, num_answers, num_rows)


def _nugget_set(database: Database, qrels: str | None) -> tuple[str, int]:
    """Name and key of the judgment set that is meant, by default the only one in use that holds nuggets."""
    held = dict(database.rows(f"select qrels, qrels_id from qrels where form = {literal(NUGGETS)}"))
    in_use = sorted(held.keys() - replaced_qrels(database))
    several = "there are several sets of nuggets, say to which the answers are assigned (--qrels)"
    name = only_qrels(database, qrels, several, in_use or ["the warehouse"])
    if name not in held:
        how = "evalsql load qrels FILE --form nuggets brings some"
        raise UsageError(f"answers are assigned to nuggets, and {name} holds none; {how}")
    return name, held[name]


@contextmanager
def _staged_answers(
    database: Database, kind: str, source: Any, name: str | None, given: Mapping[str, str] | None, problems: ProblemList
) -> Iterator[list[Table]]:
    """Have the rows of files, or of memory, in the table ``staged_answers``; its ``file_id`` counts the tables."""
    types = dict.fromkeys(all_meanings(kind), "varchar")
    database.make_empty("staged_answers", {"file_id": "integer", "line": "bigint", **types})
    with Tables(database, kind, given, problems) as tables:
        if (paths := paths_in(source)) is not None:
            with open_sources(paths, problems, kind, given) as sources:
                tables.read(sources)
                for text in [each for each in sources if not each.form]:
                    needed = ", ".join(MEANINGS[kind][0])
                    problems.add(text.problem(0, f"{kind} are JSON lines, or a table whose header names {needed}"))
                problems.check()
                yield _stage_answers(database, [tables.by_label[each.label] for each in sources], name)
        else:
            yield _stage_answers(database, [tables.read_data(source, name or IN_MEMORY)], name)
    database.drop("staged_answers")


def _stage_answers(database: Database, tables: list[Table], name: str | None) -> list[Table]:
    """Stage rows; a run is called as it is asked for, else as the rows say, else as the file."""
    for at, table in enumerate(tables):
        nameless = f"select count(run), min(row) filter (where run is null) from ({table.query})"
        ((num_named, row),) = database.rows(nameless)
        if name is None and num_named and row:
            raise table.error("run is missing, and other rows name theirs", row)
        run = f"coalesce(run, {literal(stem(table.source.label))})" if name is None else literal(checked_name(name))
        rows = f"select * exclude (row) replace ({run} as run), {at} as file_id, row as line from ({table.query})"
        database.insert("staged_answers", rows)
    return tables


def _make_room_for_answers(database: Database, kind: str, held: str, qrels_id: int, replace: bool) -> None:
    taken = dict(database.rows(held))
    check_free(taken.values(), replace, f"{kind} of ")
    among = f"({', '.join(map(str, taken)) or 'null'})"
    database.execute(f"delete from {OF_ANSWERS[kind]} where qrels_id = {qrels_id} and run_id in {among}")
    database.execute(f"delete from files where kind = '{kind}.{qrels_id}' and id in {among}")
