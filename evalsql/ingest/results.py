"""Loads results of other programs, most of them without values by topic: what ``load scores`` takes beside Parquet."""

import hashlib
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import Measure, literal, parse_measures
from evalsql.database.database import Database
from evalsql.database.disk import scratch_folder
from evalsql.database.names import resolve_one
from evalsql.errors import InputError, Problem, ProblemList, UsageError, warn
from evalsql.ingest.files.formats import without_rows
from evalsql.ingest.files.input_files import (
    STANDARD_INPUT,
    USTAR_AT,
    failures_named,
    files_named,
    stem,
    unfit_name,
    unpacked,
)
from evalsql.ingest.files.result_files import MAIN, MTEB, TABLE, Result, ResultError, mteb_name, results_of
from evalsql.ingest.files.source import COMPRESSIONS, NOT_UTF8, Source, open_file, unreadable
from evalsql.ingest.scores import make_room, ranges_of, store
from evalsql.phrases import Progress, counted, natural_key, shortened, silent
from evalsql.version import __version__

_HINT = "evalsql load qrels FILE --collection NAME loads some, or --qrels NAME says which"
_BATCH = 5_000  # results that go to the engine together
_TABLES = {
    "staged_results": "file integer, line integer, run varchar, collection varchar, topic varchar, measures varchar[], "
    "scores double[], main double, mains varchar[], keys varchar[], facts varchar[]",
    "staged_files": "file integer, label varchar, sha256 varchar, bytes bigint",
}
_TYPES = {name: [column.split()[1] for column in columns.split(", ")] for name, columns in _TABLES.items()}


@dataclass(frozen=True)
class Told:
    """What results are of, where their files do not say it, and how their values are read."""

    system: str | None = None
    version: str | None = None
    collection: str | None = None
    measure: str | None = None
    percent: bool = False
    meta: Mapping[str, str] = field(default_factory=dict)


@dataclass
class ResultReader:
    """Puts the results of files into temporary tables.

    Attributes:
        measures: those here that the files have, by their names.
        names: of measures by the kind of a result and by its own name; empty for those that evalsql does not have.
        left_out: names of measures that evalsql does not have.
    """

    database: Database
    told: Told
    progress: Progress
    problems: ProblemList = field(default_factory=ProblemList)
    skipped: list[str] = field(default_factory=list)
    measures: dict[str, Measure] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)
    rows: dict[str, list[Sequence[object]]] = field(default_factory=lambda: {name: [] for name in _TABLES})
    num_files: int = 0

    def read(self, sources: Sequence[str | Path]) -> None:
        """Stage all results; raises InputError with all that is wrong with the files."""
        for name, columns in _TABLES.items():
            self.database.execute(f"create or replace temp table {name} ({columns})")
        with failures_named(), scratch_folder() as folder:
            for label in [label for source in sources for label in files_named(str(source))]:
                for name, path in _files(label, Path(folder)):
                    self._read_file(label, name, path)
        self._flush()
        if self.skipped:
            warn(f"{counted(len(self.skipped), 'file')} without results skipped: {shortened(self.skipped, 3)}")
        self.problems.check()
        if not self.num_files:
            raise InputError([Problem(str(sources[0]), 0, "holds no results")])

    def _read_file(self, root: str, label: str, path: Path) -> None:
        if label != root and (unfit_name(os.path.basename(label)) or not path.is_file()):
            self.skipped.append(label)
            return
        data = path.read_bytes()
        try:
            found = results_of(_text(label, path, data), self._canonical, self.told.measure)
            if not found and label == root:
                raise ResultError(0, "holds no results that are known; evalsql help loading lists the formats")
            for result in found or ():
                self._stage(result, root, label)
        except ResultError as fault:
            self.problems.add(Problem(label, fault.line, fault.reason))
            return
        if not found:
            self.skipped.append(label)
            return
        self.rows["staged_files"].append((self.num_files, label, hashlib.sha256(data).hexdigest(), len(data)))
        self.num_files += 1
        if len(self.rows["staged_results"]) >= _BATCH:
            self._flush()

    def _stage(self, result: Result, root: str, label: str) -> None:
        told, is_mteb = self.told, result.kind == MTEB
        system, version = told.system or "", told.version or ""
        if is_mteb and not told.system:
            system, folder = _folders(root, label)
            version = version or folder
        system = result.system or system or ("" if is_mteb or label == STANDARD_INPUT else stem(label))
        version, collection = result.version or version, result.collection or told.collection or ""
        for what, given in (("system", system), ("collection", collection)):
            if not given:
                raise ResultError(result.line, f"does not say its {what}; --{what} NAME does")
        values = self._named(result, label)
        main = self._number(result.main, MAIN, label, 0) if result.main is not None else None
        mains = [name for name, value in values.items() if value == main]
        if is_mteb:
            mains += [key for key, value in result.values.items() if key in self.left_out and value == result.main]
        run = f"{system}{'@' * bool(version)}{version}/{collection}"
        said = {"system": system, "version": version, "collection": collection}
        facts = {key: value for key, value in said.items() if value} | dict(result.facts) | dict(told.meta)
        place = (self.num_files, result.line, run, collection, result.topic or None)
        if values or main is not None:
            row = (*place, [*values], [*values.values()], main, mains, [*facts], [*facts.values()])
            self.rows["staged_results"].append(row)

    def _named(self, result: Result, label: str) -> dict[str, float]:
        """The values by canonical names; those of measures that programs have and evalsql has not are left out."""
        values: dict[str, float] = {}
        for key, value in result.values.items():
            place = result.kind, key
            if place not in self.names:
                known = self._canonical(mteb_name(key) if result.kind == MTEB else key)
                self.names[place] = known or key * (result.kind == TABLE)
            if name := self.names[place]:
                if (number := self._number(value, name, label, result.line)) is not None:
                    values[name] = number
            elif isinstance(value, int | float) and key != MAIN:
                self.left_out.add(key)
        return values

    def _number(self, value: Any, name: str, label: str, line: int) -> float | None:
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            self.problems.add(Problem(label, line, f'the value of {name} is "{value}", which is no finite number'))
            return None
        if self.told.percent and (name not in self.measures or self.measures[name].relation.header.bounds[1] == 1):
            return number / 100
        return number

    def _canonical(self, name: str) -> str:
        """The name of the one measure that a name stands for; empty if there is none."""
        try:
            found = parse_measures([name], self.database.catalog) if name else []
        except UsageError:
            found = []
        self.measures |= {each.name: each for each in found}
        return found[0].name if len(found) == 1 else ""

    def summary(self) -> tuple[list[str], list[str]]:
        """Names of the runs that were loaded, and lines that say how much that is and what was left out."""
        loaded = [run for (run,) in self.database.rows("select distinct run from temp.staged_results order by run")]
        counts = "select count(distinct facts[1]), count(distinct collection) from temp.staged_results"
        ((systems, collections),) = self.database.rows(counts)
        measures = {name for (name,) in self.database.rows("select distinct measure from temp.result_values")}
        held = [counted(number, what) for number, what in ((systems, "system"), (collections, "collection"))]
        lines = [f"{counted(self.num_files, 'result file')}: {', '.join(held)}, {counted(len(measures), 'measure')}"]
        if left_out := sorted(self.left_out - measures, key=natural_key):
            lines.append(
                f"not loaded: {counted(len(left_out), 'measure')} that evalsql does not have, such as {left_out[0]}"
            )
        self.database.execute(
            "; ".join(f"drop table temp.{name}" for name in (*_TABLES, "main_measures", "result_values"))
        )
        return loaded, lines

    def _flush(self) -> None:
        for name, rows in self.rows.items():
            if rows:
                unnested = ", ".join(f"unnest(?::{kind}[])" for kind in _TYPES[name])
                self.database.execute(
                    f"insert into temp.{name} select {unnested}", [list(each) for each in zip(*rows, strict=True)]
                )
                rows.clear()
        self.progress("reading results", self.num_files, 0)


def load_results(
    database: Database,
    sources: Sequence[str | Path],
    told: Told,
    *,
    qrels: str | None,
    replace: bool,
    progress: Progress = silent,
) -> tuple[list[str], list[str]]:
    """Load results of other programs within the caller's transaction; returns names of runs, and what is to be told.

    Values of topics are stored where judgments here have the topics, and else those over all topics alone.
    """
    reader = ResultReader(database, told, progress)
    reader.read(sources)
    inputs = {name: f"select * from temp.{name}" for name in ("staged_results", "staged_files")}

    def relation(name: str, **arguments: str) -> str:
        return relation_query(database.catalog, name, inputs, **arguments)

    named = "" if qrels is None else resolve_one(database, "qrels", qrels)
    judged = database.rows(relation("judged_results", qrels=named))
    labels = dict(database.rows("select file, label from temp.staged_files")) if judged else {}
    if lost := [
        Problem(
            labels[file], 0, f"has values of topics, and no judgments of {collection} here have the topics; {_HINT}"
        )
        for _, file, collection, judgments, has_overall in judged
        if not (judgments or has_overall)
    ]:
        raise InputError(lost)
    sets = {run: judgments for run, _, _, judgments, _ in judged if judgments}
    for run, *_ in judged:
        unused = "is null" if run in sets else "is not null"
        database.execute(f"delete from temp.staged_results where run = ? and topic {unused}", [run])
    for name in ("main_measures", "result_values"):
        database.execute(f"create or replace temp table {name} as {relation(name)}")
        inputs[name] = f"select * from temp.{name}"
    # What trec_eval prints of a count over all topics is a sum.
    inputs["ranges"] = ranges_of(each for each in reader.measures.values() if each.relation.header.mean != "sum")
    if problems := database.rows(f"{relation('result_problems')}\norder by all"):
        raise InputError([Problem(*problem) for problem in problems])
    make_room(database, "select distinct run, topic from temp.staged_results", replace)
    loaded_at = f"{literal(__version__)} as evalsql_version, current_timestamp at time zone 'UTC' as loaded_at"
    database.insert("runs", f"select *, {loaded_at} from ({relation('new_result_runs')})")
    database.insert("collection_scores", relation("new_collection_scores"))
    database.insert("files", relation("new_result_files"))
    if sets:
        pairs = ", ".join(f"({literal(run)}, {literal(judgments)})" for run, judgments in sets.items())
        database.execute(f"""
            create or replace temp table staged_scores as
            select qrels, run, topic, measure, '' as evalsql_version, '' as sql_digest, value, label as file
            from temp.result_values
            join (values {pairs}) as sets(run, qrels) using (run)
            join temp.staged_files using (file)
        """)
        inputs["score_files"] = "select label as path, sha256, bytes from temp.staged_files"
        inputs["ranges"] = ranges_of(reader.measures.values())
        store(database, {name: inputs[name] for name in ("ranges", "score_files")}, "", replace, None)
    return reader.summary()


def _files(root: str, folder: Path) -> Iterator[tuple[str, Path]]:
    """Label and path of the files of a folder at any depth, or of an archive, or of the one that is named."""
    path = Path(root)
    if root == STANDARD_INPUT:
        path = folder / "input"
        path.write_bytes(sys.stdin.buffer.read())
    if not path.exists():
        raise InputError([Problem(root, 0, "no such file or folder")])
    if path.is_dir():
        for parent, folders, names in os.walk(root):
            folders[:] = sorted(each for each in folders if not unfit_name(each))
            for name in sorted(names):
                yield os.path.join(parent, name), Path(parent, name)
        return
    source, head = open_file(root, path)
    if head[USTAR_AT:].startswith(b"ustar"):
        for name, copy in unpacked(source, folder):
            yield name, copy
            copy.unlink(missing_ok=True)
    elif found := without_rows(head):
        raise source.error(f"is {found}")
    else:
        yield root, path


def _text(label: str, path: Path, data: bytes) -> str:
    compression = next((name for magic, name in COMPRESSIONS.items() if data.startswith(magic)), "")
    try:
        if compression:
            with Source(label, path, compression).open() as stream:
                data = stream.read()
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ResultError(0, NOT_UTF8) from error
    except unreadable() as error:
        raise ResultError(0, f"cannot be read: {error}") from error


def _folders(root: str, label: str) -> tuple[str, str]:
    """Model and revision by the folders of MTEB, .../model/revision/task.json; empty where they are others."""
    parts = Path(label if root != label and not os.path.isdir(root) else os.path.abspath(label)).parts[-3:]
    if len(parts) < 3 or ("__" not in parts[0] and len(Path(label).relative_to(root).parts) < 3):
        return "", ""
    return parts[0].replace("__", "/", 1), parts[1]
