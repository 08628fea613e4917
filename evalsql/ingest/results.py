"""Loads results of other programs, most of them without values by topic: what ``load scores`` takes beside Parquet."""

import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from evalsql.catalog.measure_names import Measure, parse_measures
from evalsql.database.database import Database
from evalsql.database.disk import scratch_folder
from evalsql.database.names import resolve_one
from evalsql.errors import InputError, Problem, ProblemList, UsageError, input_error, warn
from evalsql.ingest.base_rows import IN_MEMORY, NOW, add_rows
from evalsql.ingest.files import input_files
from evalsql.ingest.files.formats import without_rows
from evalsql.ingest.files.result_files import MAIN, MTEB, TABLE, Result, ResultError, mteb_name, results_in, results_of
from evalsql.ingest.files.source import NOT_UTF8, Source, open_file, unreadable
from evalsql.ingest.frames import is_of_ranx
from evalsql.ingest.load_options import Meta
from evalsql.ingest.python_rows import records_of
from evalsql.ingest.run_loading import run_name
from evalsql.ingest.scores import delete_replaced, make_room, ranges_of, store
from evalsql.literals import literal
from evalsql.phrases import Progress, counted, natural_key, shortened, silent
from evalsql.version import __version__

_BATCH = 5_000  # results that go to the engine together
_STAGED: Mapping[str, Mapping[str, str]] = {
    "staged_results": {
        **{"file": "integer", "result": "integer", "line": "integer"},  # subsets of a task are one result
        **{"kind": "varchar", "run": "varchar", "collection": "varchar"},
        **{"topic": "varchar", "names": "varchar[]", "scores": "double[]", "main": "double", "mains": "varchar[]"},
        **{"keys": "varchar[]", "facts": "varchar[]"},
    },
    "staged_files": {"file": "integer", "label": "varchar", "sha256": "varchar", "bytes": "bigint"},
    "named_measures": {"kind": "varchar", "name": "varchar", "measure": "varchar", "divisor": "double"},
}
_MADE = ("judged_results", "main_measures", "named_results", "result_values", "contradicted_totals")


@dataclass
class _Reader:
    """Puts the results of files into temporary tables; ``told`` is what they are of where files do not say it."""

    database: Database
    told: Mapping[str, str | None]
    measure: str | None
    problems: ProblemList = field(default_factory=ProblemList)
    skipped: list[str] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)  # names of measures
    known_keys: dict[tuple[str, ...], list[str]] = field(default_factory=dict)  # of MTEB, by all keys of a file
    num_files: int = 0

    def __post_init__(self) -> None:
        for name, columns in _STAGED.items():
            self.database.make_empty(name, columns)

    def take(self, data: Any) -> None:
        data = data.to_dict() if is_of_ranx(data) else records_of(data)
        try:
            found = [self._row(result, at, "", IN_MEMORY) for at, result in enumerate(results_in(data, self.measure))]
        except ResultError as error:
            raise input_error(IN_MEMORY, error.reason, error.line) from error
        if not found:
            raise input_error(IN_MEMORY, "holds no results: a system or a topic, with measures and values")
        self._stage(found, [(0, IN_MEMORY, None, None)])

    def read(self, sources: Sequence[str | Path], progress: Progress) -> None:
        rows: list[Sequence[object]] = []
        files: list[Sequence[object]] = []
        with input_files.failures_named(), scratch_folder() as folder:
            for root in [label for source in sources for label in input_files.files_named(str(source))]:
                for source in _files(root, Path(folder)):
                    if found := self._rows(root, source):
                        rows += found
                        files.append((self.num_files, source.label, source.sha256(), source.path.stat().st_size))
                        self.num_files += 1
                    if len(rows) >= _BATCH:
                        self._stage(rows, files)
                        progress("reading results", self.num_files, 0)
        self._stage(rows, files)
        if self.skipped:
            warn(f"{counted(len(self.skipped), 'file')} without results skipped: {shortened(self.skipped, 3)}")
        self.problems.check()
        if not self.num_files:
            raise input_error(sources[0], "holds no results")

    def _stage(self, rows: list[Sequence[object]], files: list[Sequence[object]]) -> None:
        for name, some in (("staged_results", rows), ("staged_files", files)):
            add_rows(self.database, name, [*_STAGED[name]], some)
            some.clear()

    def _rows(self, root: str, source: Source) -> list[Sequence[object]]:
        """The rows of a file's results; none if it holds none, or is refused."""
        label = source.label
        try:
            if label != root and (input_files.unfit_name(os.path.basename(label)) or not source.path.is_file()):
                found = []
            else:
                with source.open() as stream:
                    found = results_of(stream.read().decode("utf-8-sig"), self.measure)
            if not found and label == root:
                raise ResultError(0, "holds no results that are known; evalsql help loading lists the formats")
            if not found:
                self.skipped.append(label)
            return [self._row(result, 0 if result.kind == MTEB else at, root, label) for at, result in enumerate(found)]
        except ResultError as error:
            self.problems.add(source.problem(error.line, error.reason))
        except UnicodeDecodeError:
            if label != root and without_rows(open_file(label, source.path)[1]):
                self.skipped.append(label)
            else:
                self.problems.add(source.problem(0, NOT_UTF8))
        except (TypeError, KeyError, AttributeError, OverflowError):
            self.problems.add(source.problem(0, "its parts are not those that MTEB, BEIR, ranx and others write"))
        except unreadable() as error:
            self.problems.add(source.problem(0, f"cannot be read: {error}"))
        return []

    def _row(self, result: Result, place: int, root: str, label: str) -> Sequence[object]:
        values, main = dict(result.values), None
        by_default = {"system": "" if label in (input_files.STANDARD_INPUT, IN_MEMORY) else input_files.stem(label)}
        if result.kind == MTEB:
            by_default, main = _folders(root, label), values.pop(MAIN, None)
            main = None if main is None else _number(main)
        mains = [key for key, value in values.items() if value == main and main is not None]
        if result.kind == MTEB:
            if (keys := tuple(values)) not in self.known_keys:  # thousands of files have the same ones
                self.known_keys[keys] = [key for key in keys if mteb_name(key)]
                self.left_out |= {key for key in values if isinstance(values[key], int | float) and not mteb_name(key)}
            values = {key: values[key] for key in self.known_keys[keys]}
        given = {**by_default, **{key: text for key, text in self.told.items() if text}}
        facts = {key: text for key, text in (given | dict(result.said)).items() if text not in ("", "None")}
        topic = facts.pop("topic", "all")
        for what in ("system", "collection"):
            if what not in facts:
                raise ResultError(result.line, f"does not say its {what}; --{what} NAME does, in Python {what}=NAME")
        return (
            *(self.num_files, place, result.line, result.kind, run_name(facts), facts["collection"]),
            *(None if topic == "all" else topic, [*values], [*map(_number, values.values())], main, mains),
            *([*facts], [*facts.values()]),
        )

    def name_measures(self, *, percent: bool) -> list[Measure]:
        """Give names of measures the canonical ones, where there are any; returns the measures that are known here."""
        known: list[Measure] = []
        rows: list[Sequence[object]] = []
        names = "select distinct kind, unnest(names || mains) as name from temp.staged_results order by all"
        for kind, name in self.database.rows(names):
            found = list[Measure]()
            with suppress(UsageError):
                found = parse_measures([mteb_name(name) if kind == MTEB else name], self.database.catalog)
            (measure,) = found if len(found) == 1 else (None,)
            if measure:
                known.append(measure)
            elif not kind:
                self.left_out.add(name)
            is_share = measure is None or measure.relation.header.bounds[1] == 1
            own = name if kind in (MTEB, TABLE) else None
            rows.append((kind, name, measure.name if measure else own, 100 if percent and is_share else 1))
        add_rows(self.database, "named_measures", [*_STAGED["named_measures"]], rows)
        return known

    def summary(self) -> list[str]:
        keys = "count(distinct meta['system']), count(distinct meta['collection'])"
        loaded = f"select {keys} from runs where run in (select run from temp.staged_results)"
        ((systems, collections),) = self.database.rows(loaded)
        measures = {*self.database.column("select distinct measure from temp.result_values")}
        held = f"{counted(systems, 'system')}, {counted(collections, 'collection')}"
        where = counted(self.num_files, "result file") if self.num_files else IN_MEMORY
        lines = [f"{where}: {held}, {counted(len(measures), 'measure')}"]
        if left_out := sorted(self.left_out - measures, key=natural_key):
            what = f"{counted(len(left_out), 'measure')} that evalsql does not have"
            lines.append(f"not loaded: {what}, such as {left_out[0]}")
        return lines


def load_results(
    database: Database,
    sources: Any,
    *,
    qrels: str | None = None,
    replace: bool = False,
    meta: Meta = None,
    measure: str | None = None,
    percent: bool = False,
    system: str | None = None,
    version: str | None = None,
    collection: str | None = None,
    progress: Progress = silent,
) -> tuple[list[str], list[str]]:
    """Load results of other programs within the caller's transaction; returns names of runs, and what is to be told.

    Values of topics are stored where judgments here have the topics, and else those over all topics alone.

    Args:
        sources: paths of files, folders and archives; or results in memory: what ``pt.Experiment`` gives, other frames
            and rows, values of ir_measures, a report of ranx.
        measure: of a table with a column for each collection.
        percent: whether values are in per cent.
        system, version, collection: where files do not say it; the collection may be that of ``qrels``.
    """
    told = {"system": system, "version": version, "collection": collection}
    paths = input_files.paths_in(sources)
    named = "" if qrels is None else resolve_one(database, "qrels", qrels)
    if named and not collection:
        of_set = "select coalesce(meta['collection'], qrels) from qrels where qrels = ?"
        ((told["collection"],),) = database.rows(of_set, [named])
    reader = _Reader(database, {**told, **(meta or {})}, measure)
    if paths is None:
        reader.take(sources)
    else:
        reader.read(paths, progress)
    _store(database, reader.name_measures(percent=percent), named, replace)
    loaded = database.column("select distinct run from temp.result_values order by run")
    if not loaded:
        where = IN_MEMORY if paths is None else str(paths[0])
        raise input_error(where, "holds no values of measures that evalsql has")
    empty = "select label from temp.staged_files where file not in (select file from temp.named_results) order by file"
    if without := database.column(empty):
        reader.num_files -= len(without)
        warn(f"{counted(len(without), 'file')} without measures that evalsql has skipped: {shortened(without, 3)}")
    lines = reader.summary()
    database.drop(*_STAGED, *_MADE)
    return loaded, lines


def _store(database: Database, measures: Sequence[Measure], qrels: str, replace: bool) -> None:
    """Store the staged results: values of topics as scores, the others as figures of their collections."""
    inputs = {name: f"select * from temp.{name}" for name in _STAGED}
    relation = partial(database.query, inputs=inputs)
    for name in _MADE:
        database.make(name, relation(name, qrels=qrels) if name == "judged_results" else relation(name))
        inputs[name] = f"select * from temp.{name}"
    inputs["ranges"] = ranges_of(measures, of_totals=True)
    if problems := database.rows(f"{relation('result_problems')}\norder by all"):
        raise InputError(Problem(*problem) for problem in problems)
    make_room(database, "select run, min(topic) as topic from temp.result_values group by run", replace)
    database.make("staged_scores", relation("result_scores"))
    delete_replaced(database, "select * from temp.staged_scores", replace)
    loaded_at = f"{literal(__version__)} as evalsql_version, {NOW} as loaded_at"
    database.insert("runs", f"select *, {loaded_at} from ({relation('new_result_runs')})")
    database.insert("collection_scores", relation("new_collection_scores"))
    files = {"score_files": "select label as path, sha256, bytes from temp.staged_files"}
    values = "select run, null as qrels, label as file from temp.result_values join temp.staged_files using (file)"
    staged_runs = database.query("runs_of_score_files", {"staged": values, **files})
    database.insert("files", database.query("new_score_files", {"staged_runs": staged_runs}))
    if database.rows("select 1 from temp.staged_scores limit 1"):
        store(database, {"ranges": ranges_of(measures), **files}, "", replace, None)


def _files(root: str, folder: Path) -> Iterator[Source]:
    """The files of a folder at any depth, or of an archive, or the one that is named."""
    path = Path(root)
    if root == input_files.STANDARD_INPUT:
        path = folder / "input"
        path.write_bytes(sys.stdin.buffer.read())
    if not path.exists():
        raise input_error(root, "no such file or folder")
    if path.is_dir():
        for parent, folders, names in os.walk(root):
            folders[:] = sorted(each for each in folders if not input_files.unfit_name(each))
            for name in sorted(names):
                label, each = os.path.join(parent, name), Path(parent, name)
                yield open_file(label, each)[0] if each.is_file() else Source(label, each)
        return
    source, head = open_file(root, path)
    if input_files.is_archive(head):
        for name, copy in input_files.unpacked(source, folder):
            yield open_file(name, copy)[0] if copy.exists() else Source(name, copy)
            copy.unlink(missing_ok=True)
    elif found := without_rows(head):
        raise source.error(f"is {found}")
    else:
        yield source


def _number(value: Any) -> float:
    """The number, or infinity for what is none; DuckDB 1.5 takes NaN for a value that is not there."""
    try:
        found = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        found = math.nan
    return math.inf if math.isnan(found) else found


def _folders(root: str, label: str) -> dict[str, str]:
    """Model and revision by the folders of MTEB, .../model/revision/task.json; none where they are others."""
    parts = Path(label if root != label and not os.path.isdir(root) else os.path.abspath(label)).parts[-3:]
    if len(parts) < 3 or ("__" not in parts[0] and len(Path(label).relative_to(root).parts) < 3):
        return {}
    return {"system": parts[0].replace("__", "/", 1), "version": parts[1]}
