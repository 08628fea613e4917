"""How far values depend on documents that nobody judged: bounds of each measure, intervals of means, pairs of runs."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from evalsql.catalog import ddl, queries
from evalsql.catalog.header import TIE_RULE, TIES
from evalsql.catalog.measure_names import CUTOFF, GAINS, Measure
from evalsql.catalog.relations import Catalog
from evalsql.database.names import Names
from evalsql.evaluation.evaluation import Evaluation, place_of
from evalsql.literals import Value, literal
from evalsql.phrases import Progress, silent

_FILLED = "filled_ranks"
_FORM = re.compile(r"(?P<relation>\w+)(?: to (?P<depth>\w+))?(?:, (?P<how>[ a-z]+))?")
# A ranking that is judged to its end has no other values without unjudged documents.
_WITHOUT_EFFECT = ("judged_only", TIES)
_MOST_PARTS = 20
_EXTREMES = "least", "greatest"


class _Bounded(NamedTuple):
    """A measure with what its header says of its bounds."""

    measure: Measure
    relation: str  # that bounds it
    depth: str  # the parameter that is its cutoff
    how: str  # added up, first found (one document counts) or stops (the reader does)

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
    found = catalog.relations.get(relation)
    # A file may have a macro of the name of a template.
    if found is None or not (relation == _FILLED or ddl.is_held(found)):
        return f"there is no relation of bounds called {relation}, which its header names"
    known = {*_WITHOUT_EFFECT, *(each.name for each in found.parameters)}
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
    return _Bounded(measure, match["relation"], depth, "" if measure.arguments.get("relative") else match["how"])


def _values_by(each: _Bounded, ranks: str) -> str:
    """A SELECT of the values of a measure by the rows of a SELECT of judged_ranks."""
    return f"select * from ({queries.with_inputs(f'from {each.measure.call}', {'judged_ranks': ranks})})"


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
        self._evaluation, self._database = evaluation, evaluation.database
        self._chosen = evaluation.keep(evaluation.evaluated_query(qrels, runs))
        self._most = {"most": most}
        fewest = self._database.query("fewest_evaluations", {"chosen": f"select * from {self._chosen}"})
        ((self._num_evaluations, self._deepest),) = evaluation.database.rows(fewest)
        self._kept_weights = dict[str, str]()
        self._measures = [_bounded(measure) for measure in measures]
        self._place = place_of(measures)
        self._order = f"order by qrels, {self._place}"
        kept = list[str]()
        for done, each in enumerate(self._measures):
            progress("bounding measures", done, len(measures))
            name = literal(each.measure.name)
            kept.append(evaluation.keep(f"select *, {name} as measure from ({self._bounds(each, unseen)})"))
        # qrels, run, topic, ties (rule, least or greatest), value, measure
        self.values = "\nunion all\n".join(f"select * from {name}" for name in kept)
        inputs = {"answered": self.values, "hole_means": queries.averaged(self._database.catalog)}
        self._effects = evaluation.keep(self._database.query("hole_effects", inputs))
        self.effects = f"select * from {self._effects} {self._order}, value desc, run"

    def _bounds(self, each: _Bounded, unseen: int | None) -> str:
        """A SELECT of ``hole_values``."""
        # No other document counts where nothing is divided by those that are relevant.
        counted = any(parameter.name == "unseen" for parameter in self._database.catalog[each.relation].parameters)
        divides = counted and each.measure.arguments.get("relative") is not False
        beside: dict[str, Value] = {**self._most, "unseen": unseen if divides else 0}
        given = f"from {self._evaluation.keep(f'from {each.measure.call}')}"
        if each.relation == _FILLED:
            bounds = self._filled(each, given)
            counts = f"from steps.{self._database.call('hole_counts', **{CUTOFF: each.cutoff}, unseen=0)}"
        else:
            bounds = f"from {self._database.call(each.relation, **each.measure.arguments, **beside)}"
            counts = "from bounds"
        inputs = {"values_given": given, "bounds": bounds, "counts": counts, "chosen": f"from {self._chosen}"}
        return self._database.query("hole_values", inputs)

    def _filled(self, each: _Bounded, given: str) -> str:
        """A SELECT of the bounds of a measure by its values where all holes are filled, the highest, or each.

        ``given`` has its values by the judgments as they are.
        """
        how: dict[str, Value] = {CUTOFF: each.cutoff, GAINS: each.measure.arguments.get(GAINS), **self._most}
        inputs = {"values_given": given}
        condenses = each.measure.arguments.get("judged_only")
        if each.how == "first found" and not condenses:
            holes = self._evaluation.keep(f"from steps.{self._database.call('first_holes', **how)}")
            found = queries.with_inputs(f"from {each.measure.call}", {"judged_ranks": f"select * from {holes}"})
            return self._database.query("first_found_bounds", {**inputs, "first_hole_values": found})
        if (weights := self._weights(each)) and not condenses:
            inputs["hole_weights"] = weights
            return self._database.query("added_up_bounds", inputs, k=each.cutoff)
        last: dict[str, Value] = dict.fromkeys(_EXTREMES)
        if each.how == "stops":
            reached = self._database.query("holes_reached", {"hole_weights": self._part(each, 1, 0)})
            ((last["greatest"],),) = self._database.rows(reached)
        calls = [self._database.call(_FILLED, **how, unjudged=extreme, holes=last[extreme]) for extreme in _EXTREMES]
        # In one plan with the rows the engine guesses how many there are, and some measures never end.
        rows = "with filled as materialized (from {} semi join {} using (evaluation_id)) from filled"
        filled = [rows.format(call, self._chosen) for call in calls]
        values = [_values_by(each, ranks) for ranks in filled]
        if not condenses and how[GAINS] is None:  # a hole of grade 0 is worth what no judgment is
            values[0] = f"select * from ({given})"
        return self._database.query("filled_bounds", {"filled_values": "\nunion all\n".join(values)})

    def pairs(self) -> tuple[str, str]:
        """SELECTs of the pairs of runs whose order is open, and of the number of such pairs by each measure.

        Differences are bounded document by document, for measures that add documents up to a cutoff.
        """
        nothing = f"select * from {self._effects} limit 0"
        weights = "select qrels, 0 as rank, 0.0 as least, 0.0 as greatest from qrels limit 0"
        joint = [self._differences(nothing, weights, 1)]
        for each in self._measures:
            if isinstance(each.cutoff, int) and (weights := self._weights(each)):
                effects = f"select * from {self._effects} where measure = {literal(each.measure.name)}"
                joint.append(self._differences(effects, weights, each.cutoff))
        differences = "\nunion all\n".join(f"select * from (\n{one}\n)" for one in joint)
        inputs = {"hole_effects": f"select * from {self._effects}", "hole_differences": differences}
        kept = self._evaluation.keep(self._database.query("hole_pairs", inputs))
        inputs = {"hole_effects": f"select * from {self._effects}", "hole_pairs": f"select * from {kept}"}
        counts = f"{self._database.query('open_pair_counts', inputs)} order by {self._place}"
        return f"select * from {kept} {self._order}, value desc, other desc, run, other_run", counts

    def _differences(self, effects: str, weights: str, cutoff: int) -> str:
        inputs = {"hole_effects": effects, "hole_weights": weights}
        return self._database.query("hole_differences", inputs, k=cutoff)

    def _weights(self, each: _Bounded) -> str:
        """A SELECT of what one document at each rank adds, asked of the measure itself; empty where that is unknown."""
        cutoff = each.cutoff if isinstance(each.cutoff, int) else self._deepest
        if each.how != "added up" or cutoff > _MOST_PARTS * self._num_evaluations:
            return ""
        if each.measure.name not in self._kept_weights:
            parts = [self._part(each, cutoff, skipped) for skipped in range(0, cutoff, self._num_evaluations)]
            self._kept_weights[each.measure.name] = self._evaluation.keep("\nunion all\n".join(parts))
        return f"select * from {self._kept_weights[each.measure.name]}"

    def _part(self, each: _Bounded, cutoff: int, skipped: int) -> str:
        """A SELECT of the weights of some ranks, one for each evaluation; the first ``skipped`` ranks are left out."""
        how: dict[str, Value] = {CUTOFF: cutoff, GAINS: each.measure.arguments.get(GAINS), **self._most}
        singles = self._database.call("single_documents", **how, skipped=skipped)
        kept = self._evaluation.keep(f"from steps.{singles}")
        ranks = [f"select * exclude (unjudged) from {kept} where unjudged = '{extreme}'" for extreme in _EXTREMES]
        values = [_values_by(each, one) for one in ranks]
        inputs = {"single_ranks": f"select * from {kept}", "single_values": "\nunion all\n".join(values)}
        return f"select * from ({self._database.query('single_weights', inputs)})"
