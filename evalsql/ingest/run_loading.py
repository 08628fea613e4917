"""Loads runs of files: clean ones by the engine's own reader, the rest by the exact one, into the same staged rows."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from evalsql.catalog.ddl import relation_query
from evalsql.catalog.measure_names import literal
from evalsql.database.disk import scratch_folder
from evalsql.errors import Problem, ProblemList, QueryError
from evalsql.ingest import base_rows
from evalsql.ingest.base_rows import FileRow, add_file_rows
from evalsql.ingest.files.alignments import leave_out
from evalsql.ingest.files.source import Source
from evalsql.ingest.files.tables import show_runs, stage_runs
from evalsql.ingest.files.trec_text import (
    NO_DELIMITER,
    Notes,
    first_rows,
    foreign_layout,
    layout,
    opposes_ranks,
    reader,
    run_rows,
)
from evalsql.ingest.ranking import STAGED, NewRun, StagedFile, owners, rank, store
from evalsql.ingest.remarks import Remarks
from evalsql.ingest.run_options import RunOptions
from evalsql.progress import Progress

if TYPE_CHECKING:
    from evalsql.database.database import Database
    from evalsql.ingest.files.tables import Tables


BATCH_BYTES = 400_000_000


class EngineStoppedError(Exception):
    """The engine's reader stopped at these files, which ends the transaction."""

    def __init__(self, paths: Collection[Path]) -> None:
        super().__init__(f"the engine stopped at {', '.join(map(str, paths))}")
        self.paths = paths


class RunLoader:
    """Loads a set of runs within the caller's transaction, which is to be rolled back after an error.

    Args:
        qrels_ids: keys of the judgment sets to evaluate each run with, by its name.
        tables: the rows of files that are not TREC text.
        needs_line_reader: files at which the engine's reader has stopped.

    Attributes:
        left_out: notices of alignments and self-hits that were left out.
    """

    def __init__(
        self,
        database: Database,
        options: RunOptions,
        qrels_ids: Mapping[str, Collection[int]],
        tables: Tables,
        needs_line_reader: Collection[Path],
        progress: Progress,
    ) -> None:
        self.database = database
        self.options = options
        self.qrels_ids = qrels_ids
        self.tables = tables
        self.needs_line_reader = needs_line_reader
        self.progress = progress
        self.rank_is_used = options.tie_rule == "rank"
        self.problems = ProblemList()
        self.faulty: set[int] = set()
        self.remarks = Remarks()
        self.left_out: list[str] = []

    def load(self, named: Mapping[str, Sequence[Source]], found: ProblemList) -> None:
        """Load the runs, each from its files; all problems of all files, after those found, are raised together."""
        if found:
            self.problems.take(found.error)
        runs = self._new_runs(named)
        num_files = sum(len(run.files) for run in runs)
        done = 0
        for batch in _batches(runs):
            self.progress("loading runs", done, num_files)
            self._load_batch(batch)
            done += sum(len(run.files) for run in batch)
        self.progress("loading runs", num_files, num_files)
        self.problems.check()
        if self.options.warns:
            self.remarks.note_repeated_files(self.database, "run", [run.run_id for run in runs])
            self.remarks.warn(lower_is_better=self.options.lower_is_better)

    def _new_runs(self, named: Mapping[str, Sequence[Source]]) -> list[NewRun]:
        """The runs to load with their keys; those made of files that do not go together are problems."""
        first_id = base_rows.next_id(self.database, "runs", "run_id")
        runs: list[NewRun] = []
        file_id = 0
        for run_id, (name, sources) in enumerate(named.items(), start=first_id):
            files = [
                StagedFile(file_id + at, source, table=self.tables.by_label.get(source.label))
                for at, source in enumerate(sources)
                if source.label not in self.tables.failed
            ]
            file_id += len(files)
            run = NewRun(name, run_id, files)
            if run.is_ranking and not all(file.table and file.table.is_ranking for file in files):
                reason = f"run {name} is made of rankings without scores and of files with scores; name them apart"
                self.problems.add(Problem(files[0].source.label, 0, reason))
            elif run.holds_evalues and not all(file.table and file.table.holds_evalues for file in files):
                reason = f"run {name} is made of files with E-values and of files with other scores; name them apart"
                self.problems.add(Problem(files[0].source.label, 0, reason))
            elif files:
                runs.append(run)
        return runs

    def _load_batch(self, runs: Sequence[NewRun]) -> None:
        options = self.options.for_rows(is_ranking=runs[0].is_ranking, holds_evalues=runs[0].holds_evalues)
        self.database.execute(STAGED)
        files = [file for run in runs for file in run.files]
        with scratch_folder() as folder:
            with ThreadPoolExecutor(os.cpu_count()) as threads:
                list(threads.map(lambda file: self._inspect(file, Path(folder)), files))
            tables = [(file.file_id, file.table) for file in files if file.table]
            is_view = len(tables) == len(files) and not options.leaves_out
            if is_view:
                show_runs(self.database, tables)
            else:
                stage_runs(self.database, tables)
                self._stage_text([file for file in files if not file.table])
        self.left_out += leave_out(self.database, owners(runs), options)
        repeated = rank(self.database, runs, options)
        self._count(files)
        self.remarks.opposed += [run.name for run in runs if any(file.opposes_ranks for file in run.files)]
        self.remarks.tags += [(file.source.label, list(file.notes.tags)) for file in files if len(file.notes.tags) > 1]
        if repeated and not options.keep_best:
            self._report_repeated(runs, repeated)
        if not self.problems:
            store(self.database, runs, options, self.qrels_ids, with_repeated=bool(repeated), remarks=self.remarks)
            _add_files(self.database, runs)
        self.database.execute(f"drop {'view' if is_view else 'table'} staged_run_rows")

    def _count(self, files: Iterable[StagedFile]) -> None:
        counts = dict(self.database.rows("select file_id, sum(num_rows) from staged_topics group by file_id"))
        for file in files:
            file.num_rows = counts.get(file.file_id, 0)
            if not file.num_rows and file.file_id not in self.faulty:
                self.problems.add(Problem(file.source.label, 0, "holds no rows"))

    # Staging

    def _stage_text(self, files: Sequence[StagedFile]) -> None:
        groups: dict[tuple[str, bool], list[StagedFile]] = {}
        by_lines: list[StagedFile] = []
        for file in files:
            if file.foreign:
                line, num_columns = file.foreign
                reason = (
                    f"{num_columns} columns that are not those of a run, expected 5 or 6: topic Q0 document rank score "
                    "[tag]; a tag may hold blanks, but is the same on nearly every line"
                )
                self._refuse(file, Problem(file.source.label, line, reason))
            elif file.text and (found := layout(file.text)):
                delimiter, file.tag = found
                groups.setdefault((delimiter, file.text.is_mixed), []).append(file)
            else:
                by_lines.append(file)
        for (delimiter, mixed), group in groups.items():
            by_lines += self._stage_clean(group, delimiter, mixed=mixed)
        self._stage_exactly(by_lines)

    def _inspect(self, file: StagedFile, folder: Path) -> None:
        if file.table:
            file.sha256 = file.source.sha256()
            return
        file.sha256, text = file.source.inspect(folder, str(file.file_id))
        file.text = None if file.source.path in self.needs_line_reader else text
        if text:
            rows = first_rows(text)
            file.foreign = foreign_layout(rows)
            if self.options.ranks_by_score:
                file.opposes_ranks = opposes_ranks(rows, lower_is_better=self.options.lower_is_better)

    def _stage_clean(self, files: list[StagedFile], delimiter: str, *, mixed: bool) -> list[StagedFile]:
        """Stage files by the engine's reader; returns those that must be read line by line."""
        try:
            doubtful = self._read(files, delimiter, mixed=mixed)
        except QueryError as error:
            query = f"select count({_columns(delimiter)[-1]}) from "
            stopping = {file.source.path for file in files if self.database.fails(query + _lines([file], delimiter))}
            raise EngineStoppedError(stopping or {file.source.path for file in files}) from error
        if doubtful:
            listed = ", ".join(map(str, doubtful))
            self.database.execute(f"delete from staged_run_rows where file_id in ({listed})")
        return [file for file in files if file.file_id in doubtful]

    def _read(self, files: Sequence[StagedFile], delimiter: str, *, mixed: bool) -> set[int]:
        """Read files of one layout into the staged rows; returns the file_id of each with a doubtful or refused row."""
        # Looking values up in lists is faster than joining a table.
        file_ids = ", ".join(str(file.file_id) for file in files)
        tags = ", ".join(literal(file.tag) for file in files)
        lines = f"select file_index, {', '.join(_columns(delimiter))} from {_lines(files, delimiter)}"
        if delimiter == NO_DELIMITER:
            lines = relation_query(self.database.catalog, "split_run_rows", {"lines": lines})
        raw = f"""
            select
                list_extract([{file_ids}], cast(file_index as bigint) + 1) as file_id,
                list_extract(cast([{tags}] as varchar[]), cast(file_index as bigint) + 1) as expected_tag,
                *
            from ({lines})"""
        execute, rows = self.database.execute, self.database.rows
        clean = relation_query(
            self.database.catalog, "clean_run_rows", {"raw": raw}, rank_is_used=self.rank_is_used, mixed=mixed
        )
        execute("insert into staged_run_rows " + clean)
        doubtful = rows("select distinct file_id from staged_run_rows where doubtful")
        rejected = rows("select distinct file_path from reject_errors join reject_scans using (scan_id, file_id)")
        execute("drop table reject_errors; drop table reject_scans")
        rejected_paths = {path for (path,) in rejected}
        by_path = {file.file_id for file in files if file.text and str(file.text.path) in rejected_paths}
        return {file_id for (file_id,) in doubtful} | by_path

    def _stage_exactly(self, files: Sequence[StagedFile]) -> None:
        """Stage files line by line."""
        columns = {"topic": "varchar", "document": "varchar", "given_rank": "integer", "score": "double"}
        for at, file in enumerate(files):
            if len(files) > 1:
                self.progress("reading line by line", at, len(files))
            file.tag, file.notes = None, Notes()
            refuse = partial(self._refuse, file)
            found = run_rows(file.source, file.notes, refuse, rank_is_used=self.rank_is_used)
            rows = ((t, d, int(r.partition(".")[0]) if self.rank_is_used else 0, s) for _, (t, d, r, s) in found)
            rank = "given_rank" if self.rank_is_used else "null"
            selected = f"{file.file_id}, topic, document, {rank}, score, false"
            base_rows.insert_rows(self.database, "staged_run_rows", columns, rows, selected)

    def _refuse(self, file: StagedFile, problem: Problem) -> None:
        self.faulty.add(file.file_id)
        self.problems.add(problem)

    # Repeated documents

    def _report_repeated(self, runs: Sequence[NewRun], repeated: set[tuple[int, str, str]]) -> None:
        """Report repeated documents with their lines, for which their files are read again."""
        concerned = {run_id for run_id, _, _ in repeated}
        for run in runs:
            first: dict[tuple[str, str], tuple[str, int]] = {}
            for file in run.files if run.run_id in concerned else ():
                label = file.source.label
                # Lines that were refused have been reported already.
                rows: Iterator[tuple[int, Sequence[str]]]
                if file.table:
                    unit, rows, problem_at = file.table.unit, file.table.rows("topic", "document"), file.table.problem
                else:
                    unit, problem_at = "line", partial(Problem, label)
                    rows = run_rows(file.source, Notes(), lambda problem: None, rank_is_used=self.rank_is_used)
                for line, (topic, document, *_) in rows:
                    if (run.run_id, topic, document) not in repeated:
                        continue
                    place = first.setdefault((topic, document), (label, line))
                    if place != (label, line):
                        where = f"{unit} {place[1]}" if place[0] == label else f"{place[0]}:{place[1]}"
                        reason = f"document {document} of topic {topic} already stands at {where}"
                        self.problems.add(problem_at(line, reason))
        if not self.problems:
            raise QueryError(f"{len(repeated)} repeated documents were found that no line could be named for")


def _columns(delimiter: str) -> Sequence[str]:
    return ("line",) if delimiter == NO_DELIMITER else ("topic", "unused", "document", "given_rank", "score", "tag")


def _lines(files: Sequence[StagedFile], delimiter: str) -> str:
    return reader([file.text.path for file in files if file.text], delimiter, _columns(delimiter))


def _add_files(database: Database, runs: Sequence[NewRun]) -> None:
    rows = (
        FileRow("run", run.run_id, file.source.label, file.sha256, file.source.path.stat().st_size, file.num_rows)
        for run in runs
        for file in run.files
    )
    add_file_rows(database, *rows)


def _batches(runs: Sequence[NewRun]) -> Iterator[list[NewRun]]:
    """Runs put together until a batch holds about BATCH_BYTES of text, so that memory stays bounded."""
    batch: list[NewRun] = []
    size = 0
    for run in runs:
        weight = sum(file.source.text_bytes for file in run.files)
        is_alike = not batch or (run.is_ranking, run.holds_evalues) == (batch[0].is_ranking, batch[0].holds_evalues)
        if batch and (size + weight > BATCH_BYTES or not is_alike):
            yield batch
            batch, size = [], 0
        batch.append(run)
        size += weight
    if batch:
        yield batch
