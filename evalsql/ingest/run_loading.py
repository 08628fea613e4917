"""Loads runs of files: clean ones by the engine's own reader, the rest by the exact one, into the same staged rows."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
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
from evalsql.ingest.replacing import make_room_for_runs
from evalsql.ingest.run_options import RunOptions
from evalsql.phrases import Progress

if TYPE_CHECKING:
    from evalsql.database.database import Database
    from evalsql.ingest.files.tables import Tables


BATCH_BYTES = 400_000_000


class EngineStoppedError(Exception):
    """The engine's reader stopped at a file, which ends the transaction."""


class RunLoader:
    """Loads runs from files: clean ones by the engine's own reader, the rest by the exact one.

    Args:
        tables: the rows of files that are not TREC text.

    Attributes:
        left_out: notices of alignments and self-hits that were left out.
    """

    def __init__(self, database: Database, options: RunOptions, tables: Tables, progress: Progress) -> None:
        self.database = database
        self.options = options
        self.tables = tables
        self.progress = progress
        self.rank_is_used = options.tie_rule == "rank"
        self.needs_line_reader: set[Path] = set()  # files at which the engine's reader has stopped

    def load(
        self,
        named: Mapping[str, Sequence[Source]],
        qrels: Sequence[str],
        found: ProblemList,
        check: Callable[[], None],
    ) -> None:
        """Load the runs in one transaction, each from its files.

        Args:
            qrels: names or globs of the judgment sets to evaluate them with.
            found: problems of before; all problems of all files are raised together.
            check: called before the runs are committed.
        """
        while True:
            self.problems, self.remarks = ProblemList(), Remarks()
            self.left_out: list[str] = []
            if found:
                self.problems.take(found.error)
            try:
                with (
                    nullcontext() if self.options.tie_rule == "input" else self.database.unordered(),
                    self.database.transaction(),
                ):
                    self._load(named, make_room_for_runs(self.database, list(named), qrels, self.options.replace))
                    check()
                return
            except EngineStoppedError:  # the files are read line by line the next time
                continue

    def _load(self, named: Mapping[str, Sequence[Source]], qrels_ids: Mapping[str, Collection[int]]) -> None:
        runs = self._new_runs(named, qrels_ids)
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

    def _new_runs(
        self, named: Mapping[str, Sequence[Source]], qrels_ids: Mapping[str, Collection[int]]
    ) -> list[NewRun]:
        """The runs to load with their keys; those made of files that do not go together are problems."""
        first_id = base_rows.next_id(self.database, "runs", "run_id")
        runs: list[NewRun] = []
        for run_id, (name, sources) in enumerate(named.items(), start=first_id):
            files = [
                StagedFile(source.number, source, self.tables.by_label.get(source.label))
                for source in sources
                if source.label not in self.tables.failed
            ]
            rankings = {file.table is not None and file.table.is_ranking for file in files}
            evalues = {file.table is not None and file.table.holds_evalues for file in files}
            if len(rankings) > 1:
                reason = f"run {name} is made of rankings without scores and of files with scores; name them apart"
                self.problems.add(Problem(files[0].source.label, 0, reason))
            elif len(evalues) > 1:
                reason = f"run {name} is made of files with E-values and of files with other scores; name them apart"
                self.problems.add(Problem(files[0].source.label, 0, reason))
            elif files:
                runs.append(NewRun(name, run_id, qrels_ids[name], files, True in rankings, True in evalues))
        return runs

    def _load_batch(self, runs: Sequence[NewRun]) -> None:
        options = self.options.for_rows(is_ranking=runs[0].is_ranking, holds_evalues=runs[0].holds_evalues)
        self.database.execute(STAGED)
        files = [file for run in runs for file in run.files]
        with scratch_folder() as folder:
            with ThreadPoolExecutor(os.cpu_count()) as threads:
                list(threads.map(lambda file: self._inspect(file, Path(folder)), files))
            if tables := [file.table for file in files if file.table]:
                self.tables.stage_runs(tables)
            self._stage_text([file for file in files if not file.table])
        self.left_out += leave_out(self.database, owners(runs), options)
        repeated = rank(self.database, runs, options)
        counts = dict(self.database.rows("select file_id, sum(num_rows) from staged_topics group by file_id"))
        for file in files:
            file.num_rows = counts.get(file.file_id, 0)
            if not file.num_rows and not file.is_refused:
                self.problems.add(Problem(file.source.label, 0, "holds no rows"))
        self.remarks.opposed += [run.name for run in runs if any(file.opposes_ranks for file in run.files)]
        self.remarks.tags += [(file.source.label, list(file.notes.tags)) for file in files if len(file.notes.tags) > 1]
        if repeated and not options.keep_best:
            self._report_repeated(runs, repeated)
        if not self.problems:
            store(self.database, runs, options, self.remarks)
            pairs = [(run, file) for run in runs for file in run.files]
            rows = [FileRow.of("run", run.run_id, each.source, each.num_rows, each.sha256) for run, each in pairs]
            add_file_rows(self.database, *rows)
        self.database.execute("drop table staged_run_rows")

    # Staging

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

    def _stage_text(self, files: Sequence[StagedFile]) -> None:
        """Stage TREC files: by the engine's reader, those of one layout together, the rest line by line."""
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
                delimiter, tag = found
                file.notes = Notes(tags=Counter([tag] if tag else []), last_tag=tag)
                groups.setdefault((delimiter, file.text.is_mixed), []).append(file)
            else:
                by_lines.append(file)
        for (delimiter, mixed), group in groups.items():
            by_lines += self._stage_clean(group, delimiter, mixed=mixed)
        for at, file in enumerate(by_lines):
            if len(by_lines) > 1:
                self.progress("reading line by line", at, len(by_lines))
            self._stage_exactly(file)

    def _stage_clean(self, files: Sequence[StagedFile], delimiter: str, *, mixed: bool) -> list[StagedFile]:
        """Stage files of one layout by the engine's reader; returns those that must be read line by line."""
        columns: Sequence[str] = ("topic", "unused", "document", "given_rank", "score", "tag")
        columns = ("line",) if delimiter == NO_DELIMITER else columns
        paths = [file.text.path for file in files if file.text]
        catalog, rows = self.database.catalog, self.database.rows
        lines = f"select file_index, {', '.join(columns)} from {reader(paths, delimiter, columns)}"
        if delimiter == NO_DELIMITER:
            lines = relation_query(catalog, "split_run_rows", {"lines": lines})
        # Looking values up in lists is faster than joining a table.
        file_ids = ", ".join(str(file.file_id) for file in files)
        tags = ", ".join(literal(file.notes.last_tag) for file in files)
        raw = f"""
            select
                list_extract([{file_ids}], cast(file_index as bigint) + 1) as file_id,
                list_extract(cast([{tags}] as varchar[]), cast(file_index as bigint) + 1) as expected_tag,
                *
            from ({lines})"""
        clean = relation_query(catalog, "clean_run_rows", {"raw": raw}, rank_is_used=self.rank_is_used, mixed=mixed)
        try:
            self.database.execute("insert into staged_run_rows " + clean)
        except QueryError as error:
            query = f"select count({columns[-1]}) from "
            stopping = [path for path in paths if self.database.fails(query + reader([path], delimiter, columns))]
            stopped = [file for file in files if file.text and file.text.path in (stopping or paths)]
            self.needs_line_reader |= {file.source.path for file in stopped}
            raise EngineStoppedError from error
        doubtful = {file_id for (file_id,) in rows("select distinct file_id from staged_run_rows where doubtful")}
        rejected = rows("select distinct file_path from reject_errors join reject_scans using (scan_id, file_id)")
        self.database.execute("drop table reject_errors; drop table reject_scans")
        rejected_paths = {Path(path) for (path,) in rejected}
        doubtful |= {file.file_id for file in files if file.text and file.text.path in rejected_paths}
        if doubtful:
            listed = ", ".join(map(str, doubtful))
            self.database.execute(f"delete from staged_run_rows where file_id in ({listed})")
        return [file for file in files if file.file_id in doubtful]

    def _stage_exactly(self, file: StagedFile) -> None:
        """Stage a file line by line."""
        columns = {"topic": "varchar", "document": "varchar", "given_rank": "integer", "score": "double"}
        file.notes = Notes()
        found = run_rows(file.source, file.notes, partial(self._refuse, file), rank_is_used=self.rank_is_used)
        rows = ((t, d, int(r.partition(".")[0]) if self.rank_is_used else 0, s) for _, (t, d, r, s) in found)
        rank = "given_rank" if self.rank_is_used else "null"
        selected = f"{file.file_id}, topic, document, {rank}, score, false"
        base_rows.insert_rows(self.database, "staged_run_rows", columns, rows, selected)

    def _refuse(self, file: StagedFile, problem: Problem) -> None:
        file.is_refused = True
        self.problems.add(problem)

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
