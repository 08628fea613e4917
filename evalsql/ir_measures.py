"""evalsql as a provider of ir_measures, and so of PyTerrier's experiments; importing this registers it.

import ir_measures
from ir_measures import nDCG
from evalsql.ir_measures import provider, prefer

provider.calc_aggregate([nDCG @ 10], qrels, run)  # by evalsql
prefer()  # from now on ir_measures.calc_aggregate and pt.Experiment ask evalsql first
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import ir_measures
from ir_measures import Metric
from ir_measures.util import QrelsConverter, RunConverter

from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog
from evalsql.errors import UsageError
from evalsql.warehouse.evaluator import Evaluator

_SUBTOPICS = "diversity"  # the family of measures that read the second column of judgments


class _Calculation(ir_measures.Evaluator):
    """Values of measures for one run after another, with judgments that stay."""

    def __init__(self, measures: Iterable[Any], qrels: Any) -> None:
        judgments = list(QrelsConverter(qrels).as_namedtuple_iter())
        super().__init__(list(measures), dict.fromkeys(each.query_id for each in judgments))
        by_form: dict[str, list[str]] = {}
        for measure in self.measures if judgments else ():
            by_form.setdefault(_form(_name(measure)), []).append(_name(measure))
        self._evaluators = [Evaluator(judgments, names, form=form) for form, names in by_form.items()]

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        measures = {_name(measure): measure for measure in self.measures}
        ranking = RunConverter(run).as_dict_of_dict()
        for evaluator in self._evaluators if ranking else ():
            for topic, values in evaluator.per_topic(ranking).items():
                if topic in ranking:  # what it leaves out has ir_measures' own value
                    yield from (Metric(topic, measures[name], value) for name, value in values.items())


class EvalsqlProvider(ir_measures.Provider):
    """Measures of evalsql under their names in ir_measures; the values are those of ``evalsql.Evaluator``."""

    NAME = "evalsql"

    def supports(self, measure: Any) -> bool:
        """Whether evalsql has the measure with these parameters and means the same by them."""
        measure.validate_params()
        try:
            return bool(_form(_name(measure)))
        except UsageError:
            return False

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> _Calculation:
        return _Calculation(measures, qrels)

    def qrel_inputs(self, measures: Iterable[Any]) -> list[str]:
        """The columns of judgments that these measures read."""
        has_subtopics = any(_form(_name(measure)) == "groups" for measure in measures)
        return ["query_id", "doc_id", "relevance", *(["iteration"] if has_subtopics else [])]


def _name(measure: Any) -> str:
    """The measure in evalsql's spelling.

    ir_measures does not square beta, and lets a grade that gains do not list be its own gain.
    """
    name = str(measure).replace("beta=", "recall_weight=") if measure.NAME == "SetF" else str(measure)
    return re.sub(r"gains={(.*?)}", lambda found: f"gains='{found[1].replace(':', '=')},*'", name)


def _form(name: str) -> str:
    """The form of judgments that a measure reads; raises UsageError for one that is not known."""
    families = {each.relation.family for each in parse_measures([name], read_catalog())}
    return "groups" if _SUBTOPICS in families else "grades"


provider: EvalsqlProvider = ir_measures.providers.register(EvalsqlProvider())  # type: ignore[no-untyped-call]


def prefer() -> None:
    """Have ir_measures ask evalsql before its other providers, and so pt.Experiment."""
    pipeline = ir_measures.DefaultPipeline.providers
    if provider not in pipeline:
        pipeline.insert(0, provider)
