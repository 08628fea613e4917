"""Loads runs, judgments and weights from files and from memory: each call all or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.database.database import Database
from evalsql.database.names import Names, as_list, resolve_names
from evalsql.errors import ProblemList, UsageError
from evalsql.ingest.base_rows import IN_MEMORY, LoadWarnings, add_file_rows, file_row, make_room_for_runs
from evalsql.ingest.load_options import JudgmentOptions, RunOptions
from evalsql.phrases import Progress, silent

if TYPE_CHECKING:
    from evalsql.ingest.files.source import Source

Files = str | Path | Iterable[str | Path]


@dataclass
class Loader:
    """Puts runs and judgments into a database that has the base tables.

    Attributes:
        check: called at the end of each load, before it is committed.
        keeps_unjudged: whether runs are stored with documents that no judgment is about.
        notices: of the last load of runs or judgments: their format, and what was left out.
        is_plain: whether the files of that load are as TREC has them, so that their format need not be told.
    """

    database: Database
    check: Callable[[], None] = lambda: None
    keeps_unjudged: bool = True
    notices: list[str] = field(default_factory=list)
    is_plain: bool = True

    def load_qrels(
        self,
        source: Any,
        name: str | None = None,
        *,
        form: str = "grades",
        runs: Names = (),
        keep_best: bool = False,
        replace: bool = False,
        meta: Mapping[str, str] | None = None,
        columns: Mapping[str, str] | None = None,
        queries: str | Path | Iterable[str] | None = None,
        with_self: bool = False,
        unit: str | None = None,
    ) -> str:
        """Load judgments: a file of any format that ``evalsql help loading`` lists, or rows. Returns the set's name.

        Args:
            source: path ("-" is standard input), a folder such as BEIR's, ``irds:`` and the id of a dataset of
                ir_datasets, or a frame with columns for topic, document, grade, {topic: {document: grade}}, or rows as
                tuples, dicts or named tuples.
            name: by default the file's stem.
            form: grades (one of a document for a topic), groups (one in each group or subtopic, which the iteration
                names) or preferences (topic, group, subgroup or none, document, level: documents are preferred to those
                of lower levels in their subgroup, and what follows from that within a group; groups need not agree) or
                spans (topic, document, start, end, and a grade, by default 1), which judge their documents too; of
                a sample strata (topic, iteration, document, stratum, grade; below 0 is in the pool and not judged) or
                probabilities (topic, document, grade, method, probability); or what judgments are made of: pairs (topic
                and a document relevant to it) or families (id and family: members of the same family are relevant to
                each other).
            runs: names or globs of runs already loaded that are to be evaluated with these judgments too; by default
                those that have a topic of these and no judgments yet.
            keep_best: of several judgments of a document for a topic (or by a group) keep the highest grade.
            replace: replace a set of the same name, for the runs it had as well. That set stays as NAME@1, with its
                weights of topics, unless both hold the same.
            meta: key and value to keep with the set.
            columns: names of columns by meaning, such as {"topic": "qid"}, where they are not known by themselves.
            queries: of families the members that are topics: their names, or a file of them or FASTA; by default all.
            with_self: whether in pairs a topic may be relevant to itself.
            unit: what start and end of spans count: characters, bytes, tokens (the end is the first one behind the
                span), lines or pages (the end is the last one).

        Raises:
            InputError: every line that was refused, with file, line and reason; nothing was loaded.
        """
        from evalsql.ingest.judgments import staged_judgments

        database, warnings = self.database, LoadWarnings()
        options = JudgmentOptions(form, keep_best, meta, columns, queries, with_self, unit)
        with staged_judgments(database, source, name, options) as staged:
            checked_name(staged.name)
            wanted = resolve_names(database, "run", runs).ids
            with database.transaction():
                qrels_id, pairs = staged.store(wanted, replace=replace)
                add_file_rows(database, file_row("qrels", qrels_id, staged.source, staged.num_rows))
                warnings.note_repeated_files(database, "qrels", [qrels_id])
                warnings.note_irrelevance(database, qrels_id)
                warnings.note_overlaps(database, pairs)
                warnings.warn()
                self.check()
            self.notices, self.is_plain = staged.notices, staged.is_plain
            return staged.name

    def load_weights(self, source: Any, qrels: str, *, replace: bool = False) -> str:
        """Load weights of a judgment set's topics: a file of lines ``topic weight``, or {topic: weight}.

        Topics without one weigh 1. Comment lines are not kept. Returns the name of the set.

        Args:
            source: path ("-" is standard input), or the weights themselves, all above 0.
            replace: replace all weights that the set has.

        Raises:
            InputError: every line that was refused, with its reason, and unknown topics; nothing was loaded.
        """
        from evalsql.ingest.topic_values import load_weights

        return load_weights(self.database, source, qrels, replace=replace)

    def load_lists(
        self,
        files: Files,
        *,
        name: str | None = None,
        qrels: str | None = None,
        order: str | None = None,
        replace: bool = False,
        meta: Mapping[str, str] | None = None,
    ) -> list[str]:
        """Load retrieval lists, the format of the TAP-k program: each file is a judgment set with a run and weights.

        Returns the names of the runs, which the judgment sets share.

        Args:
            files: paths or globs, "-" being standard input; plain, gzip or zstd.
            name: by default each file's stem; if it is given all files make one set and one run.
            qrels: name of the judgment set, if there is one only and its name is to differ from the run's.
            order: whether scores rise (asc), as E-values do, or fall (desc) from best to worst; by default the lists
                show it.
            replace: replace runs and judgments of the same names.
            meta: key and value to keep with both.

        Raises:
            InputError: all that is wrong in any file, with its line; nothing was loaded.
        """
        from evalsql.ingest import lists
        from evalsql.ingest.files.input_files import open_sources

        problems = ProblemList()
        with open_sources(files, problems) as sources:
            by_names = sources_by_name(sources, name, problems)
            if qrels is not None and len(by_names) > 1:
                made = f"{len(by_names)} files make as many judgment sets"
                raise UsageError(f"{made}, which cannot all be called {qrels}")
            sets = lists.read_sets(by_names, problems, order)
            with self.database.transaction():
                for run, each in sets.items():
                    judged = checked_name(run if qrels is None else qrels)
                    lists.store(self.database, run, judged, each, meta, replace=replace)
                self.check()
        self.notices = []
        return list(sets)

    def load_runs(
        self,
        files: Files = (),
        *,
        name: str | None = None,
        qrels: Names = (),
        tie_rule: str | None = None,
        lower_is_better: bool = False,
        keep_best: bool = False,
        depth: int | None = None,
        judged_by: str | None = None,
        replace: bool = False,
        meta: Mapping[str, str] | None = None,
        columns: Mapping[str, str] | None = None,
        with_self: bool | None = None,
        call: str | None = None,
        stdin_name: str | None = None,
        manifest: str | Path | None = None,
        tells_remarks: bool = True,
        collapse: str | None = None,
        unit: str | None = None,
        progress: Progress = silent,
    ) -> list[str]:
        """Load run files, one run each, or all as one run if a name is given. Returns the names.

        Args:
            files: paths or globs, "-" being standard input; of any format that ``evalsql help loading`` lists.
            name: by default each file's stem.
            qrels: judgment sets to evaluate the runs with; by default the one there is.
            tie_rule: trec_eval (score as 32-bit float, then document descending), trec_eval_10 (the same with
                64-bit scores), rank (the file's rank column) or input (the order of the lines); by default trec_eval,
                and trec_eval_10 where lower is better, since E-values below 1e-45 are 0 as 32-bit floats.
            lower_is_better: whether smaller scores are better, as with E-values.
            keep_best: keep a document that is repeated for a topic at the best of its ranks.
            depth: keep so many documents of each topic.
            judged_by: keep only documents that this judgment set judges, with a grade of 0 or more; after depth.
            replace: replace runs of the same names.
            meta: key and value to keep with the runs.
            columns: as for ``load_qrels``.
            with_self: whether a document with the topic's own name is kept; by default not of tables of E-values
                (BLAST, DIAMOND, MMseqs2, HMMER), where a query finds itself.
            call: the column that tells several searches for a topic apart: the run's ranking is all that the first call
                found, then what the next one adds, and so on. ``none``: no column does, although one looks so. Numbers
                are in order of their values, other names as they first appear. Depth and the like are of each call.
            stdin_name: name of a run from standard input, which has no stem.
            manifest: a file that lists the files, in their place, with what each is; see ``stage_manifest``.
            tells_remarks: whether to warn of what is loaded although it may mislead.
            collapse: where results are spans, with start and end, what ranks a document: the best score of its spans
                (max), its first span (first), or the sum of their scores (sum); none leaves start and end out.
            unit: as for ``load_qrels``.

        Raises:
            InputError: every line of every file that was refused, with its reason; nothing was loaded.
        """
        from evalsql.ingest.files.input_files import open_sources
        from evalsql.ingest.files.table import note_left_out
        from evalsql.ingest.run_loading import RunLoader, run_tables, stage_manifest, stage_said

        given = (tie_rule, lower_is_better, keep_best, depth, judged_by, replace, meta, columns, with_self)
        options = self._checked(RunOptions(*given, warns=tells_remarks, call=call, collapse=collapse, unit=unit))
        database, problems = self.database, ProblemList()
        if hasattr(files, "columns"):
            raise UsageError("load_runs takes files of runs; load_run takes a run in memory, with its name")
        if bool(files) is (manifest is not None) or (manifest is not None and name is not None):
            raise UsageError("name files of runs, or a manifest that lists them with their names")
        listed = [] if manifest is None else stage_manifest(database, manifest, options.meta or {})
        named = {each.file: each.run for each in listed}
        with (
            open_sources([*named] or files, problems, "run", options.given) as sources,
            run_tables(database, options, problems) as tables,
        ):
            by_names = sources_by_name(sources, name, problems, stdin_name, named, options.meta or {})
            told = listed or stage_said(database, by_names, options.meta or {})
            own = {each.run: {*each.qrels_ids} for each in told if each.qrels_ids is not None}
            tables.read(sources)
            if options.warns:
                note_left_out(tables.by_label.values(), "run")
            loader = RunLoader(database, options, tables, problems, progress)
            goes_by_lines = options.tie_rule == "input" or options.has_calls
            with nullcontext() if goes_by_lines else database.unordered(), database.transaction():
                sets = own if listed or not as_list(qrels) else {}
                asked = make_room_for_runs(database, list(by_names), as_list(qrels), options.replace, sets)
                loader.load(by_names, asked)
                if told:
                    said = "temp.told_runs as told where told.run = runs.run"
                    database.execute(f"update runs set meta = told.meta from {said}")
                self.check()
            self.notices = [tables.describe_formats(sources), *loader.left_out]
            self.is_plain = tables.are_trec
            return list(by_names)

    def load_run(
        self,
        data: Any,
        name: str,
        *,
        qrels: Names = (),
        tie_rule: str | None = None,
        lower_is_better: bool = False,
        keep_best: bool = False,
        depth: int | None = None,
        judged_by: str | None = None,
        replace: bool = False,
        meta: Mapping[str, str] | None = None,
        columns: Mapping[str, str] | None = None,
        with_self: bool | None = None,
        call: str | None = None,
        collapse: str | None = None,
        unit: str | None = None,
    ) -> str:
        """Load one run from memory; other arguments and errors are those of ``load_runs``.

        Rows are a pandas, polars or Arrow table, a DuckDB relation, {topic: {document: score}}, a list of tuples
        (topic, document, score), of dicts or of named tuples, or {topic: [document, ...]}, rankings without scores.
        """
        from evalsql.ingest.frames import Query
        from evalsql.ingest.run_loading import load_run_data

        given = (tie_rule, lower_is_better, keep_best, depth, judged_by, replace, meta, columns, with_self)
        options = self._checked(RunOptions(*given, call=call, collapse=collapse, unit=unit))
        origin = data.source if isinstance(data, Query) else IN_MEMORY
        with self.database.transaction():
            run_id, num_rows = load_run_data(self.database, checked_name(name), data, options, as_list(qrels))
            add_file_rows(self.database, file_row("run", run_id, origin, num_rows))
            self.check()
        self.notices = []
        return name

    def _checked(self, options: RunOptions) -> RunOptions:
        """The options as this database stores runs; raises UsageError where ``judged_by`` names no judgment set."""
        name = options.judged_by
        if name is not None and not self.database.rows("select 1 from qrels where qrels = ?", [name]):
            raise UsageError(f'no judgment set is called "{name}"')
        return replace(options, keeps_unjudged=self.keeps_unjudged)


def sources_by_name(
    sources: Iterable[Source],
    name: str | None,
    problems: ProblemList,
    stdin_name: str | None = None,
    named: Mapping[str, str] = {},
    meta: Mapping[str, str] = {},
) -> dict[str, list[Source]]:
    """Files by the name of their run, by default their stems; ``problems`` gets a file that is given twice.

    ``named`` are the names by file that a manifest gives. A file that says its system and collection is called by
    them; where ``meta`` says them too, that decides.
    """
    from evalsql.ingest.run_loading import run_name

    listed = list(sources)
    names = _names_apart([source.label for source in listed]) if name is None else [name] * len(listed)
    files: dict[str, list[Source]] = {}
    for source, own in zip(listed, names, strict=True):
        if named and source.label not in named:
            reason = "is part of an archive or of a file of several runs; a manifest names files"
            problems.add(source.problem(0, reason))
            continue
        if source.said and not named:
            if name is not None and len(listed) > 1:
                raise UsageError(f"{source.label} is one run of several in its file; they cannot all be called {name}")
            own = name or run_name({**source.said, **meta})
        own = named.get(source.label) or checked_name(stdin_name if own == "-" and stdin_name else own)
        if own in files and name is None:
            first = files[own][0].label
            problems.add(source.problem(0, f"run {own} comes from {first} as well; name one of them"))
        files.setdefault(own, []).append(source)
    return files


def _names_apart(labels: Sequence[str]) -> list[str]:
    """The stem of each path; where several have one, with the fewest folders before it that tell them apart."""
    from evalsql.ingest.files.input_files import stem

    stems = [stem(label) for label in labels]
    names, folders = stems, [Path(label).parts[:-1] for label in labels]
    for depth in range(1, max(map(len, folders), default=0) + 1):
        shared = {name for name, count in Counter(names).items() if count > 1}
        longer = ["/".join([*above[-depth:], own]) for above, own in zip(folders, stems, strict=True)]
        names = [new if name in shared else name for name, new in zip(names, longer, strict=True)]
    return names


def checked_name(name: str) -> str:
    """The name; raises UsageError where it is empty, or the - of standard input."""
    if name in ("", "-"):
        raise UsageError("a name is needed; data from standard input has none of its own")
    return name
