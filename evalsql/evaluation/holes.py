"""How far values depend on documents that nobody judged: bounds of each measure, intervals of means, pairs of runs."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from evalsql.catalog import ddl
from evalsql.catalog.header import TIE_RULE, TIES, Value
from evalsql.catalog.measure_names import CUTOFF, GAINS, Measure, literal
from evalsql.catalog.relations import Catalog
from evalsql.database.names import Names
from evalsql.evaluation.evaluation import Evaluation, place_of, with_arguments
from evalsql.phrases import Progress, silent

_FILLED = "filled_ranks"
_FORM = re.compile(r"(?P<relation>\w+)(?: to (?P<depth>\w+))?(?P<adds_up>, added up)?")
# A ranking that is judged to its end has no other values without unjudged documents.
_WITHOUT_EFFECT = ("judged_only", TIES)
# One document in each ranking, as judged_ranks has it.
_SINGLE_RANKS = """
    select evaluation_id, rank, 0 as tied_above, 0 as tied_below, rank as first_rank, rank as last_rank,
        1 as judged_rank, if(grade > 0, 1, 0) as relevant_rank, grade, 0 as document_id
"""
_MOST_PARTS = 20


class _Bounded(NamedTuple):
    """A measure with the relation that bounds it, the parameter that says how deep, and whether documents add up."""

    measure: Measure
    relation: str
    depth: str
    adds_up: bool

    @property
    def cutoff(self) -> Value:
        return self.measure.arguments.get(self.depth)


def unbounded(catalog: Catalog, measure: Measure) -> str:
    """Why the values of a measure have no bounds; empty where they have."""
    holes, given = measure.relation.header.holes, measure.arguments
    if not holes:
        return "its header does not say what holes do to it"
    if holes.startswith("none, "):
        return holes.removeprefix("none, ")
    if given.get(TIES, TIE_RULE) != TIE_RULE:
        return "bounds are of the tie rule's order"
    if given.get("rel") == 0:
        return "with rel=0 every judged document is relevant"
    relation = _bounded(measure).relation
    known = {*_WITHOUT_EFFECT, *(each.name for each in catalog[relation].parameters)}
    changed = [
        each.name
        for each in measure.relation.parameters
        if relation != _FILLED and each.name not in known and given[each.name] != each.default
    ]
    return f"bounds are known at the default of {changed[0]} alone" if changed else ""


def _bounded(measure: Measure) -> _Bounded:
    match = _FORM.fullmatch(measure.relation.header.holes)
    assert match
    depth = match["depth"] or ("" if match["relation"] == _FILLED else CUTOFF)
    return _Bounded(measure, match["relation"], depth, bool(match["adds_up"]) and not measure.arguments.get("relative"))


class Holes:
    """The holes of some runs by measures that all have bounds; ``effects`` is a SELECT, and so is what is asked of it.

    A hole has a grade from 0 to ``most``, by default the greatest of its judgment set. ``unseen`` documents count as
    well, by default those that other runs have down to the cutoff.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        measures: Sequence[Measure],
        *,
        qrels: Names = (),
        runs: Names = (),
        most: int | None = None,
        unseen: int | None = None,
        progress: Progress = silent,
    ) -> None:
        self._evaluation, self._catalog = evaluation, evaluation.database.catalog
        self._chosen = evaluation.keep(evaluation.evaluated_query(qrels, runs))
        self._most = {"most": most}
        self._measures = [_bounded(measure) for measure in measures]
        self._order = f"order by qrels, {place_of(measures)}"
        answers, totals = list[str](), list[str]()
        for done, each in enumerate(self._measures):
            progress("bounding measures", done, len(measures))
            # No other document counts where nothing is divided by those that are relevant.
            counting = each.relation != _FILLED and each.measure.arguments.get("relative") is not False
            beside: dict[str, Value] = {"unseen": unseen if counting else 0, **self._most}
            answers.append(self._kept(each, self._bounds(each, beside)))
            counts = with_arguments(self._catalog, "hole_counts", **{CUTOFF: each.cutoff}, **beside).call
            sums = "sum(num_holes)::bigint as num_holes, sum(num_unseen)::bigint as num_unseen"
            counts = f"select qrels, run, topic, num_holes, num_unseen from steps.{counts}"
            totals.append(self._kept(each, f"select qrels, run, {sums} from ({counts}) group by all", "qrels, run"))
        together = "\nunion all\n".join
        # qrels, run, topic, ties (rule, least or greatest), value, measure
        self.values = together(f"select * from {name}" for name in answers)
        inputs = {
            "answered": self.values,
            "hole_means": ddl.averaged(self._catalog),
            "hole_totals": together(f"select * from {name}" for name in totals),
        }
        self._effects = evaluation.keep(ddl.relation_query(self._catalog, "hole_effects", inputs))
        self.effects = f"select * from {self._effects} {self._order}, value desc, run"

    def _kept(self, each: _Bounded, rows: str, keys: str = "qrels, run, topic") -> str:
        name = literal(each.measure.name)
        asked = f"select distinct {keys} from {self._chosen}"
        return self._evaluation.keep(f"select *, {name} as measure from ({rows}) semi join ({asked}) using ({keys})")

    def _bounds(self, each: _Bounded, beside: dict[str, Value]) -> str:
        """A SELECT of ``qrels, run, topic, ties, value``: by the judgments as they are, the least, the greatest."""
        ruled = f"select qrels, run, topic, value from {each.measure.call}"
        extremes = f"select qrels, run, topic, least, greatest from {self._relation(each, beside)}"
        if each.relation == _FILLED:
            gains = {GAINS: each.measure.arguments.get(GAINS)}
            filled = []
            for unjudged in ("least", "greatest"):
                how = {CUTOFF: each.cutoff, **gains, **self._most, "unjudged": unjudged}
                ranks = with_arguments(self._catalog, _FILLED, **how).call
                asked = f"semi join {self._chosen} using (evaluation_id)"
                table = self._evaluation.keep(f"select * from {ranks} {asked}")
                filled.append(f"select * from ({ddl.with_inputs(ruled, {'judged_ranks': f'select * from {table}'})})")
            both = "\nunion all\n".join(filled)
            extremes = (
                f"select qrels, run, topic, min(value) as least, max(value) as greatest from ({both}) group by all"
            )
        return f"""
            with ruled as materialized ({ruled}), extremes as materialized ({extremes})
            select *, 'rule' as ties from ruled
            union all select qrels, run, topic, least, 'least' from extremes
            union all select qrels, run, topic, greatest, 'greatest' from extremes
        """

    def _relation(self, each: _Bounded, beside: dict[str, Value]) -> str:
        return with_arguments(self._catalog, each.relation, **each.measure.arguments, **beside).call

    def pairs(self) -> tuple[str, str]:
        """SELECTs of the pairs of runs whose order is open, document by document where these add up to a cutoff, and of
        how many there are by each measure."""
        nothing = f"select * from {self._effects} limit 0"
        weights = "select qrels, 0 as rank, 0.0 as weight from qrels limit 0"
        joint = [self._differences(nothing, weights, 1)]
        fewest = f"select coalesce(min(num), 0) from (select count(*) as num from {self._chosen} group by qrels)"
        ((num_evaluations,),) = self._evaluation.database.rows(fewest)
        for each in self._measures:
            cutoff = each.cutoff
            if each.adds_up and isinstance(cutoff, int) and cutoff <= _MOST_PARTS * num_evaluations:
                effects = f"select * from {self._effects} where measure = {literal(each.measure.name)}"
                parts = [self._weights(each, skipped) for skipped in range(0, cutoff, num_evaluations)]
                joint.append(self._differences(effects, "\nunion all\n".join(parts), cutoff))
        differences = "\nunion all\n".join(f"select * from (\n{one}\n)" for one in joint)
        inputs = {"hole_effects": f"select * from {self._effects}", "hole_differences": differences}
        kept = self._evaluation.keep(ddl.relation_query(self._catalog, "hole_pairs", inputs))
        inputs = {"hole_effects": f"select * from {self._effects}", "hole_pairs": f"select * from {kept}"}
        counts = ddl.relation_query(self._catalog, "open_pair_counts", inputs)
        return f"select * from {kept} {self._order}, value desc, other desc, run, other_run", counts

    def _differences(self, effects: str, weights: str, cutoff: int) -> str:
        inputs = {"hole_effects": effects, "hole_weights": weights}
        return ddl.relation_query(self._catalog, "hole_differences", inputs, k=cutoff)

    def _weights(self, each: _Bounded, skipped: int) -> str:
        """A SELECT of what one document at each rank, with so many ``skipped``, adds: asked of the measure itself."""
        how = {CUTOFF: each.cutoff, GAINS: each.measure.arguments.get(GAINS), **self._most, "skipped": skipped}
        single = with_arguments(self._catalog, "single_documents", **how).call
        kept = self._evaluation.keep(f"select * from steps.{single}")
        values = ddl.with_inputs(f"from {each.measure.call}", {"judged_ranks": f"{_SINGLE_RANKS} from {kept}"})
        weights = f"select qrels, rank, value as weight from ({values}) join {kept} using (qrels, run, topic)"
        return f"select * from {self._evaluation.keep(weights)}"
