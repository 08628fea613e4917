"""Evaluates runs from memory, one after another, as a training loop does: prepared once, asked again and again."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from threading import Lock
from typing import Any

from evalsql.catalog.measure_names import parse_measures, split_names
from evalsql.catalog.relations import Catalog
from evalsql.database.database import MEMORY
from evalsql.database.names import Names, as_list
from evalsql.errors import UsageError, warn
from evalsql.evaluation.evaluation import Evaluation
from evalsql.evaluation.shared_steps import FEWEST
from evalsql.ingest.base_rows import LoadWarnings, add_evaluations, pairs_query, rank_judged
from evalsql.ingest.load_options import EVALUES, RANKED, RunOptions
from evalsql.ingest.loader import Loader
from evalsql.ingest.ranking import NewRun, RunBatch
from evalsql.ingest.run_loading import repeated_error, stage_run_data
from evalsql.phrases import counted
from evalsql.warehouse.open import open_database

_PAIRS = [(1, 1)]  # the keys of the judgments and of the run that is evaluated


class Evaluator(AbstractContextManager["Evaluator"]):
    """The values of measures for one run at a time, with judgments that stay.

    Threads can share one: each waits until the run of another is done.

    Args:
        qrels: {topic: {document: grade}}, a frame with columns for topic, document and grade, or a TREC qrels file.
        measures: names such as "nDCG@10", "AP(rel=2)", "P_5"; one string may hold several.
        tie_rule, lower_is_better: how documents are ordered, as in ``Warehouse.load_runs``.
        form: grades or groups, as in ``Warehouse.load_qrels``.
        keep_best: of several rows for a document keep the best, in the judgments and in runs.
        collapse, unit: how runs of spans are loaded, as in ``Warehouse.load_runs``; judged spans have the same unit.
        columns, qrels_columns: names of columns by meaning, of runs and of judgments, such as {"topic": "qid"}.

    Raises:
        InputError, UsageError: as ``Warehouse.load_qrels``, and for measures that are not known.
    """

    def __init__(
        self,
        qrels: Any,
        measures: Names,
        *,
        tie_rule: str | None = None,
        lower_is_better: bool = False,
        form: str = "grades",
        keep_best: bool = False,
        collapse: str | None = None,
        unit: str | None = None,
        columns: Mapping[str, str] | None = None,
        qrels_columns: Mapping[str, str] | None = None,
    ) -> None:
        how: dict[str, Any] = {"keep_best": keep_best, "columns": columns, "warns": False, "collapse": collapse}
        how["unit"] = unit if collapse else None
        options = RunOptions(tie_rule=tie_rule, lower_is_better=lower_is_better, **how)
        asked = split_measures(measures)
        self._asking = Lock()  # a run is in the database while it is evaluated
        self._database = open_database(MEMORY)
        catalog = self._database.catalog
        self._names = canonical_names(catalog, asked)
        relations = [measure.relation for measure in parse_measures(asked, catalog)]
        self._options = replace(options, keeps_unjudged=catalog.reads_unjudged(relations))
        read: dict[str, Any] = {"form": form, "unit": unit if form == "spans" else None, "columns": qrels_columns}
        Loader(self._database).load_qrels(qrels, "qrels", keep_best=keep_best, **read)
        (self._num_judged,) = self._database.column("select count(*) from judged_documents")
        add_evaluations(self._database, _PAIRS)  # of no ranking yet; they depend on the judgments alone
        self._evaluation = Evaluation(self._database)
        few = len(set(self._names.values())) < FEWEST  # of more measures the values are in tables that a rollback drops
        self._means = self._evaluation.scores_query(list(self._names.values())) if few else None
        self._values = self._evaluation.scores_query(list(self._names.values()), per_topic=True)

    def evaluate(self, run: Any) -> dict[str, float]:
        """The mean of each measure over the topics of the judgments, by the name it was asked for.

        A name that stands for several measures gives each under its own. A topic that the run leaves out counts as
        the measure says, which is 0 for most; a warning tells how many there are.

        Args:
            run: as of ``Warehouse.load_run``; with ranks if the tie rule goes by them.

        Raises:
            InputError: rows without a name or a number, documents that stand twice for a topic.
            UsageError: a frame without the columns.
        """
        with self._loaded(run):
            query = self._means or self._evaluation.scores_query(list(self._names.values()))
            columns, (means,) = self._database.table(query)
        found = dict(zip(columns, means, strict=True))
        return {label: found[name] for label, name in self._names.items()}

    def per_topic(self, run: Any) -> dict[str, dict[str, float]]:
        """The value of each measure by topic of the judgments, then by name; arguments and errors as ``evaluate``."""
        with self._loaded(run):
            rows = self._database.rows(self._values)
        found: dict[str, dict[str, float]] = {}
        for _, _, topic, name, value in rows:
            found.setdefault(topic, {})[name] = value
        return {topic: {label: values[name] for label, name in self._names.items()} for topic, values in found.items()}

    def close(self) -> None:
        """Give back the memory; the evaluator cannot be asked any more."""
        self._database.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _loaded(self, run: Any) -> Iterator[None]:
        database = self._database
        with self._asking:
            database.execute("begin transaction")
            try:
                self._load(run)
                yield
            finally:
                database.execute("rollback")

    def _load(self, run: Any) -> None:
        database, options, staged = self._database, self._options, NewRun("run", 1, [])
        batch = RunBatch(database, [staged], options)
        stage_run_data(database, staged, run, options, told := LoadWarnings())
        if staged.kind == EVALUES and not options.lower_is_better:
            raise UsageError("these scores are E-values (lower is better); pass lower_is_better=True")
        if staged.kind == RANKED and options.lower_is_better:
            raise UsageError("a ranking without scores is in order already; leave out lower_is_better")
        lines = [f"run: {line}" for line in batch.rank()]
        if not _has_texts_as_keys(run) and (repeated := batch.repeated()):
            raise repeated_error("run", repeated)
        batch.store()
        lines += told.lines(lower_is_better=options.lower_is_better)
        rank_judged(database, _PAIRS, batch.unretained)
        (counts,) = database.records(database.query("ranking_counts"))
        # Else there is nothing to be said of ids, and to find that takes long.
        if 10 * counts.judged_documents <= min(counts.num_rows, self._num_judged):
            lines += database.remarks("overlap_remarks", {"new_pairs": pairs_query(_PAIRS), "ranked": batch.ranked})
        if counts.missing_topics:
            of = f"{counts.missing_topics} of {counts.num_topics}"
            lines.append(f"the run leaves out {of} topics of the judgments; they are averaged too")
        if counts.extra_topics:
            left_out = counted(counts.extra_topics, "topic")
            lines.append(f"the run has {left_out} without judgments, left out of the figures")
        for line in lines:
            warn(line)


def _has_texts_as_keys(run: Any) -> bool:
    """Whether each document is there once: of other keys, 1 and "1" are the same document."""
    return isinstance(run, Mapping) and all(
        isinstance(names, Mapping) and {*map(type, names)} <= {str} for names in (run, *run.values())
    )


def split_measures(measures: Names) -> list[str]:
    """The names that are asked for, one by one; raises UsageError where there are none."""
    found = [name for text in as_list(measures) for name in split_names(text)]
    if not found:
        raise UsageError("no measure is named; expected one or several, such as nDCG@10")
    return found


def canonical_names(catalog: Catalog, asked: Iterable[str]) -> dict[str, str]:
    """Canonical names of measures by the names that the answers give them."""
    labels: dict[str, str] = {}
    for name in asked:
        found = [measure.name for measure in parse_measures([name], catalog)]
        labels |= {name: found[0]} if len(found) == 1 else {each: each for each in found}
    return labels
