"""``evalsql holes``: how far figures, and the order of runs, depend on documents that nobody judged."""

from dataclasses import asdict, dataclass
from typing import Any

from evalsql.catalog.measure_names import parse_measures
from evalsql.cli.declare import command, flag, option
from evalsql.cli.options import ArrangedOutput, AskingRankings, MeasuredRuns
from evalsql.cli.output import note, progress_bar, write_table
from evalsql.errors import UsageError
from evalsql.evaluation.holes import Holes, unbounded
from evalsql.evaluation.stored_scores import check_rankings
from evalsql.phrases import counted
from evalsql.report.terminal import DroppedColumns

_MEASURES = ("nDCG@10", "P@10")
_DROPPED = DroppedColumns(("qrels", "num_unseen", "greatest_difference", "basis"))
_AT_MOST = "at most "  # where intervals overlap the order may be sure


@dataclass(frozen=True)
class Unjudged:
    most: int | None = option("--most GRADE", "Greatest grade of holes; by default that of the judgment set.", min=0)
    unseen: int | None = option(
        "--unseen N",
        "Unjudged documents of each topic beside those that a run has down to the cutoff; by default those that other "
        "runs have there.",
        min=0,
    )


@command
def holes(
    *,
    selection: MeasuredRuns,
    pairs: bool = flag("--pairs", "The pairs of runs whose order is open, and how many judgments would settle it."),
    unjudged: Unjudged,
    output: ArrangedOutput,
    asking: AskingRankings,
) -> None:
    """How far figures depend on documents that nobody judged.

    Value, least and greatest over all grades that these could have. A hole is an unjudged document that the run has
    down to the cutoff. See evalsql help judges.

    Example: evalsql holes -m nDCG@10,P@10
    """
    with asking.open() as warehouse:
        named = parse_measures(selection.measure or _MEASURES, warehouse.catalog)
        reasons = {each.name: unbounded(warehouse.catalog, each) for each in named}
        without = [f"{name} has no bounds: {reason}" for name, reason in reasons.items() if reason]
        bounded = [each for each in named if not reasons[each.name]]
        if not bounded:
            raise UsageError("\n".join(without) or "name at least one measure, such as nDCG@10")
        note(*without)
        runs = selection.chosen(warehouse)
        check_rankings(warehouse.database, "what nobody judged", runs)
        with progress_bar() as progress:
            chosen: dict[str, Any] = {"qrels": selection.qrels, "runs": runs, **asdict(unjudged)}
            found = Holes(warehouse.evaluation, bounded, **chosen, progress=progress)
            open_pairs, counts = found.pairs()
        table = output.table_of(warehouse, open_pairs if pairs else found.effects)
        write_table(output.first_rows(table), output, warehouse, _DROPPED)
        told = warehouse.rows(counts)
    for name, num_pairs, num_open, basis in told:
        of = f"{num_open:,} of {counted(num_pairs, 'pair')} of runs"
        note(f"{name}: unjudged documents decide the order of {_AT_MOST if basis == 'intervals' else ''}{of}")
    if unjudged.unseen is not None and any(basis == "intervals" for *_, basis in told):
        note("--unseen counts for each run by itself: pairs by intervals are without what only the other run has")
    if any(num_open for _, _, num_open, _ in told):
        shown = "" if pairs else "--pairs lists them; "
        note(f"{shown}evalsql pool RUN OTHER --depth K --unjudged --first order has the documents to judge")
