"""Loads runs, judgments and weights from files and from memory: each call all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalsql.database.database import Database
from evalsql.database.names import Names, as_list, resolve_ids, resolve_one
from evalsql.errors import USE_REPLACE, InputError, Problem, UsageError
from evalsql.ingest.replacing import SetAside, delete, refuse_replaced, set_aside, sets_in_use, take_over
from evalsql.phrases import shortened
from evalsql.progress import Progress, silent

if TYPE_CHECKING:
    from evalsql.ingest.files.source import Source
    from evalsql.ingest.run_loading import RunLoader
    from evalsql.ingest.run_options import RunOptions
if TYPE_CHECKING:
    from evalsql.ingest.files.input_files import InputFiles
    from evalsql.ingest.files.source import Source


class Loader:
    """Puts runs and judgments into a database that has the base tables.

    Args:
        check: called at the end of each load, before it is committed.
        keeps_unjudged: whether runs are stored with documents that no judgment is about.

    Attributes:
        notices: of the last load of runs or judgments: their format, and what was left out.
    """

    def __init__(
        self, database: Database, check: Callable[[], None] = lambda: None, *, keeps_unjudged: bool = True
    ) -> None:
        self.database = database
        self.keeps_unjudged = keeps_unjudged
        self.notices: list[str] = []
        self._check = check

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
    ) -> str:
        """Load judgments: a file of any format that ``evalsql help loading`` lists, or rows. Returns the set's name.

        Args:
            source: path ("-" is standard input), a folder such as BEIR's, ``irds:`` and the id of a dataset of
                ir_datasets, or a frame with columns for topic, document, grade, {topic: {document:
                grade}}, or rows as tuples, dicts or named tuples.
            form: grades (a document has one grade for a topic), groups (it may have one in each group or subtopic,
                which the iteration names) or preferences (topic, group, subgroup, document, level; the subgroup may be
                left out: documents are preferred to those of lower levels in their subgroup, and what follows from
                that within a group; groups need not agree); or what judgments are made of: pairs (topic and a document
                relevant to it) or families (id and family: members of the same family are relevant to each other).
            name: by default the file's stem.
            runs: names or globs of runs already loaded that are to be evaluated with these judgments too.
            keep_best: of several judgments of a document for a topic (or by a group) keep the one with the highest
                grade.
            replace: put the judgments in the place of a set of the same name, for the runs it had as well. That set
                stays as NAME@1, with its weights of topics, unless both hold the same.
            meta: key and value to keep with the set.
            columns: names of columns by meaning, such as {"topic": "qid"}, where they are not known by themselves.
            queries: of families the members that are topics: their names, or a file of them or FASTA; by default all.
            with_self: whether in pairs a topic may be relevant to itself.

        Raises:
            InputError: every line that was refused, with file, line and reason; nothing was loaded.
        """
        from evalsql.ingest.judgment_sources import staged_judgments

        with staged_judgments(
            self.database,
            source,
            name,
            form=form,
            keep_best=keep_best,
            meta=meta or {},
            columns=columns,
            queries=queries,
            with_self=with_self,
        ) as staged:
            with self._new_qrels(checked_name(staged.name), as_list(runs), replace) as adopt:
                adopt(staged.store())
            self.notices = staged.notices
            return staged.name

    @contextmanager
    def _new_qrels(self, name: str, runs: Sequence[str], replace: bool) -> Iterator[Callable[[int], None]]:
        wanted = {run_id for pattern in runs for run_id in resolve_ids(self.database, "run", pattern)}
        with self.database.transaction():
            before = self._make_room(name, replace)
            yield lambda qrels_id: self._pair(qrels_id, wanted | before.run_ids, before.qrels_id)
            self._check()

    def _pair(self, qrels_id: int, run_ids: Iterable[int], before_id: int | None) -> None:
        from evalsql.ingest import base_rows
        from evalsql.ingest.remarks import Remarks

        take_over(self.database, qrels_id, before_id)
        pairs = [(qrels_id, run_id) for run_id in sorted(run_ids)]
        base_rows.add_evaluations(self.database, pairs)
        remarks = Remarks()
        remarks.note_repeated_files(self.database, "qrels", [qrels_id])
        remarks.note_irrelevance(self.database, [qrels_id])
        remarks.note_overlaps(self.database, pairs)
        remarks.tell()

    def _make_room(self, name: str, replace: bool) -> SetAside:
        """Make room for a judgment set; returns the one before it that was set aside."""
        taken = self.database.rows("select qrels_id from qrels where qrels = ?", [name])
        if not taken:
            return SetAside(None, set())
        if not replace:
            raise UsageError(f"judgments {name} are already loaded; {USE_REPLACE}")
        ((qrels_id,),) = taken
        refuse_replaced(self.database, name, qrels_id)
        return set_aside(self.database, qrels_id)

    def load_weights(self, source: Any, qrels: str, *, replace: bool = False) -> str:
        """Load weights of a judgment set's topics: a file of lines ``topic weight``, or {topic: weight}.

        Topics without one weigh 1. Comment lines are not kept. Returns the name of the set.

        Args:
            source: path ("-" is standard input), or the weights themselves, all above 0.
            replace: put them in the place of all weights that the set has.

        Raises:
            InputError: every line that was refused, with its reason, and unknown topics; nothing was loaded.
        """
        from evalsql.ingest.files.input_files import open_sources
        from evalsql.ingest.weights import load_weights_data, load_weights_file

        name = resolve_one(self.database, "qrels", qrels)
        ((qrels_id, held),) = self.database.rows(
            """
            select qrels_id, (select count(*) from topic_weights where topic_weights.qrels_id = qrels.qrels_id)
            from qrels where qrels = ?
            """,
            [name],
        )
        if held and not replace:
            raise UsageError(f"judgments {name} already have weights; {USE_REPLACE}")
        with open_sources([source] if isinstance(source, str | Path) else []) as opened, self.database.transaction():
            if opened.problems:
                raise InputError(opened.problems)
            if len(opened.sources) > 1:
                raise UsageError(f"{source} stands for {len(opened.sources)} files; weights are loaded from one")
            self.database.execute(f"delete from topic_weights where qrels_id = {qrels_id}")
            self.database.execute(f"delete from files where kind = 'weights' and id = {qrels_id}")
            if opened.sources:
                load_weights_file(self.database, qrels_id, opened.sources[0])
            else:
                load_weights_data(self.database, qrels_id, source)
        return name

    def load_lists(
        self,
        files: str | Path | Iterable[str | Path],
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
            qrels: name of the judgment set, where there is one, if it is to have another.
            order: whether scores rise (asc), as E-values do, or fall (desc) from best to worst; by default the lists
                tell.
            replace: put runs and judgments in the place of those of the same names.
            meta: key and value to keep with both.

        Raises:
            InputError: all that is wrong in any file, with its line; nothing was loaded.
        """
        from evalsql.ingest import base_rows, lists
        from evalsql.ingest.files.input_files import as_paths, open_sources

        with open_sources(as_paths(files)) as opened:
            by_names, problems = by_name(opened, name)
            if qrels is not None and len(by_names) > 1:
                raise UsageError(
                    f"{len(by_names)} files make as many judgment sets, which cannot all be called {qrels}"
                )
            sets = lists.read_sets(by_names, problems, order)
            with self.database.transaction():
                for run, each in sets.items():
                    judged = checked_name(run if qrels is None else qrels)
                    before = self._make_room(judged, replace)
                    qrels_id = lists.store_qrels(self.database, judged, each, meta or {})
                    take_over(self.database, qrels_id, before.qrels_id)
                    base_rows.add_evaluations(self.database, [(qrels_id, run_id) for run_id in sorted(before.run_ids)])
                    qrels_ids = self._prepare([run], [judged], replace)
                    lists.store_run(self.database, run, each, meta or {}, qrels_ids[run])
                self._check()
        self.notices = []
        return list(sets)

    def load_runs(
        self,
        files: str | Path | Iterable[str | Path],
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
        stdin_name: str | None = None,
        tells_remarks: bool = True,
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
            keep_best: keep a document that stands more than once for a topic at the best of its ranks.
            depth: keep so many documents of each topic.
            judged_by: keep only documents that this judgment set judges, with a grade of 0 or more; after depth.
            replace: put the runs in the place of those of the same names.
            meta: key and value to keep with the runs.
            columns: names of columns by meaning, such as {"topic": "qid"}, where they are not known by themselves.
            with_self: whether a document with the topic's own name is kept; by default not of tables of E-values
                (BLAST, DIAMOND, MMseqs2, HMMER), where a query finds itself.
            stdin_name: name of a run from standard input, which has no stem.
            tells_remarks: whether to warn of what is loaded although it may mislead.

        Raises:
            InputError: every line of every file that was refused, with its reason; nothing was loaded.
        """
        from evalsql.ingest.files.input_files import as_paths, open_sources, warn_of_skipped
        from evalsql.ingest.files.tables import Tables
        from evalsql.ingest.run_loading import RunLoader

        options = self._run_options(
            tie_rule, with_self, lower_is_better, keep_best=keep_best, depth=depth, judged_by=judged_by, meta=meta
        )._replace(tells_remarks=tells_remarks)
        with (
            open_sources(as_paths(files), "run") as opened,
            Tables(self.database, "run", columns, rank_is_used=tie_rule == "rank") as tables,
        ):
            by_names, problems = by_name(opened, name, stdin_name)
            warn_of_skipped(opened.skipped)
            tables.read(opened.sources)
            new_loader = partial(RunLoader, self.database, options, progress, found=problems, tables=tables)
            left_out = self._load_by_name(by_names, new_loader, as_list(qrels), replace, in_order=tie_rule == "input")
            self.notices = [tables.recognised(opened.sources), *left_out]
            return list(by_names)

    def _load_by_name(
        self,
        by_names: Mapping[str, Sequence[Source]],
        new_loader: Callable[..., RunLoader],
        qrels: Sequence[str],
        replace: bool,
        *,
        in_order: bool,
    ) -> list[str]:
        """Load runs from their files, those that the engine stops at by the line reader; returns what was left out."""
        from evalsql.ingest.run_loading import EngineStoppedError

        needs_line_reader: set[Path] = set()
        while True:
            try:
                with nullcontext() if in_order else self.database.unordered(), self.database.transaction():
                    qrels_ids = self._prepare(list(by_names), qrels, replace)
                    loader = new_loader(qrels_ids=qrels_ids, needs_line_reader=needs_line_reader)
                    loader.load(by_names)
                    self._check()
                return loader.left_out
            except EngineStoppedError as stopped:
                needs_line_reader |= set(stopped.paths)

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
    ) -> str:
        """Load one run from memory: whatever holds rows.

        That is a pandas, polars or Arrow table, a DuckDB relation, {topic: {document: score}}, a list of tuples
        (topic, document, score), of dicts or of named tuples, or {topic: [document, ...]}, rankings without scores.
        Other arguments and errors are those of ``load_runs``.
        """
        from evalsql.ingest.run_data import load_run_data

        options = self._run_options(
            tie_rule, with_self, lower_is_better, keep_best=keep_best, depth=depth, judged_by=judged_by, meta=meta
        )
        with self.database.transaction():
            qrels_ids = self._prepare([checked_name(name)], as_list(qrels), replace)
            load_run_data(self.database, name, data, options, qrels_ids[name], columns)
            self._check()
        self.notices = []
        return name

    def _run_options(
        self,
        tie_rule: str | None,
        with_self: bool | None,
        lower_is_better: bool,
        *,
        keep_best: bool,
        depth: int | None,
        judged_by: str | None,
        meta: Mapping[str, str] | None,
    ) -> RunOptions:
        """What the arguments of ``load_runs`` ask for; raises UsageError for those that are out of range."""
        from evalsql.ingest.run_options import RunOptions, checked_depth, tie_rule_for

        return RunOptions(
            tie_rule_for(tie_rule, lower_is_better=lower_is_better),
            lower_is_better=lower_is_better,
            keep_best=keep_best,
            depth=checked_depth(depth),
            judged_by=self._judging(judged_by),
            meta=meta or {},
            keeps_unjudged=self.keeps_unjudged,
            rule_is_given=tie_rule is not None,
            without_self=None if with_self is None else not with_self,
        )

    def _judging(self, name: str | None) -> str | None:
        if name is not None and not self.database.rows("select 1 from qrels where qrels = ?", [name]):
            raise UsageError(f'no judgment set is called "{name}"')
        return name

    def _prepare(self, names: Sequence[str], qrels: Sequence[str], replace: bool) -> dict[str, set[int]]:
        """Make room for runs; returns by name the ids of the judgment sets to evaluate each with.

        Those are the sets asked for, else the only one there is, and those of the run that it replaces.
        """
        held = dict(self.database.rows("select run, run_id from runs"))
        taken = [name for name in names if name in held]
        if taken and not replace:
            raise UsageError(f"already loaded: {shortened(taken)}; {USE_REPLACE}")
        pairs: dict[str, set[int]] = {name: set() for name in names}
        for name in taken:
            pairs[name] |= sets_in_use(self.database, held[name])
            delete(self.database, "run", held[name])
        present = self.database.rows("select qrels_id, qrels from qrels where replaced_at is null order by qrels")
        wanted = {qrels_id for pattern in qrels for qrels_id in resolve_ids(self.database, "qrels", pattern)}
        if not qrels and len(present) == 1:
            wanted = {present[0][0]}
        if not qrels and len(present) > 1 and not all(pairs.values()):
            there = ", ".join(name for _, name in present)
            raise UsageError(f"there are several judgment sets, say which to evaluate with: {there}")
        return {name: own | wanted for name, own in pairs.items()}


def by_name(
    opened: InputFiles, name: str | None, stdin_name: str | None = None
) -> tuple[dict[str, list[Source]], list[Problem]]:
    """Files by name, and problems of files that cannot be loaded.

    Args:
        name: one for all files; by default each has its stem.
        stdin_name: for standard input, which has no stem.
    """
    from evalsql.ingest.files.input_files import stem

    files: dict[str, list[Source]] = {}
    problems = list(opened.problems)
    for source in opened.sources:
        own = stem(source.label) if name is None else name
        own = checked_name(stdin_name if own == "-" and stdin_name else own)
        if own in files and name is None:
            first = files[own][0].label
            problems.append(Problem(source.label, 0, f"run {own} comes from {first} as well; name one of them"))
        files.setdefault(own, []).append(source)
    return files, problems


def checked_name(name: str) -> str:
    """The name; raises UsageError where it is empty, or the - of standard input."""
    if name in ("", "-"):
        raise UsageError("a name is needed; data from standard input has none of its own")
    return name
