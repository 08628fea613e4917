"""``evalsql ties``, ``holes``, ``--estimate``: how far figures are known where documents tie or nobody judged them."""

from dataclasses import dataclass
from typing import Any, ClassVar

import typer

from evalsql.catalog.measure_names import parse_measures, tie_variants
from evalsql.cli.declare import command, flag, option
from evalsql.cli.options import ArrangedOutput, AskingRankings, MeasuredRuns
from evalsql.cli.output import SAYS_NO, OutputOptions, note, progress_bar, write_table
from evalsql.errors import UsageError
from evalsql.evaluation import judging
from evalsql.evaluation.holes import Holes, unbounded
from evalsql.evaluation.stored_scores import check_rankings
from evalsql.phrases import counted, shortened
from evalsql.report.table import Table
from evalsql.report.terminal import DroppedColumns
from evalsql.warehouse.warehouse import Warehouse


@command
def ties(*, selection: MeasuredRuns, output: OutputOptions, asking: AskingRankings) -> None:
    """How much of each figure hangs on the order of tied documents.

    Value, worst, expected and best over all orders of tied documents, empty where it is not known for every topic.
    Ends with 1 where another order of tied documents changes the order of two runs.

    Example: evalsql ties -m AP,RR
    """
    with asking.open() as warehouse:
        parsed = parse_measures(selection.measures, warehouse.catalog)
        named = [each.name for each in parsed if tie_variants(each)]
        if without := [each.name for each in parsed if each.name not in named]:
            note(f"not a question of ties, or not known: {', '.join(without)}")
        runs = selection.chosen(warehouse)
        check_rankings(warehouse.database, "the order of tied documents", runs)
        with progress_bar() as progress:
            evaluation, qrels = warehouse.evaluation, selection.qrels
            effects, swaps = evaluation.tie_queries(named, qrels=qrels, runs=runs, progress=progress)
        write_table(Table(*warehouse.database.table(effects)), output, warehouse)
        pairs: dict[str, list[str]] = {}
        for _, measure, upper, _, _, lower, *_ in warehouse.rows(swaps):
            pairs.setdefault(measure, []).append(f"{upper} over {lower}")
        undecided = warehouse.rows(warehouse.database.query("undecided_ties", {"tie_effects": effects}))
    for measure, names in pairs.items():
        note(f"{measure}: tied documents decide {counted(len(names), 'pair')} of runs: {shortened(names, 3)}")
    known = [name for name in named if name not in [measure for measure, *_ in undecided]]
    if known and not pairs:
        note(f"{', '.join(known)}: no order of tied documents changes the order of the runs")
    for name, num_pairs, names in undecided:
        unknown = f"it is not known whether tied documents decide {counted(num_pairs, 'pair')} of runs"
        note(f"{name}: {unknown}: {shortened(names, 3)}")
    if pairs:
        raise typer.Exit(SAYS_NO)


_MEASURES = ("nDCG@10", "P@10")
_DROPPED = DroppedColumns(("qrels", "num_unseen", "greatest_difference", "basis"))
_AT_MOST = "at most "  # where intervals overlap the order may be sure


@command
def holes(
    *,
    selection: MeasuredRuns,
    pairs: bool = flag("--pairs", "The pairs of runs whose order is open, and how many judgments would settle it."),
    most: int | None = option("--most GRADE", "Greatest grade of holes; by default that of the judgment set.", min=0),
    unseen: int | None = option(
        "--unseen N",
        "Unjudged documents of each topic beside those that a run has down to the cutoff; by default those that other "
        "runs have there.",
        min=0,
    ),
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
            chosen: dict[str, Any] = {"qrels": selection.qrels, "runs": runs, "most": most, "unseen": unseen}
            found = Holes(warehouse.evaluation, bounded, **chosen, progress=progress)
            open_pairs, counts = found.pairs()
        table = output.table_of(warehouse, open_pairs if pairs else found.effects)
        write_table(output.first_rows(table), output, warehouse, _DROPPED)
        told = warehouse.rows(counts)
    for name, num_pairs, num_open, basis in told:
        of = f"{num_open:,} of {counted(num_pairs, 'pair')} of runs"
        note(f"{name}: unjudged documents decide the order of {_AT_MOST if basis == 'intervals' else ''}{of}")
    if unseen is not None and any(basis == "intervals" for *_, basis in told):
        note("--unseen counts for each run by itself: pairs by intervals are without what only the other run has")
    if any(num_open for _, _, num_open, _ in told):
        shown = "" if pairs else "--pairs lists them; "
        note(f"{shown}evalsql pool RUN OTHER --depth K --unjudged --first order has the documents to judge")


_DROPPED_OF_ESTIMATES = DroppedColumns(
    ("baseline", "num_topics", "num_judged", "note", "measure"),
    ("weight", "correction", "by_judge", "reference_low", "reference_high"),
)


@dataclass(frozen=True)
class Estimating:
    heading: ClassVar = "Estimates by a judge"
    estimate: bool = flag("--estimate", "Means over all topics of --judge, corrected by --reference.")
    reference: str | None = option("--reference NAME", "What people judged.", complete="qrels")
    judge: str | None = option("--judge NAME", "Judgments of more topics.", complete="qrels")

    @property
    def is_asked(self) -> bool:
        if self.estimate is not (self.reference is not None and self.judge is not None):
            raise UsageError("--estimate takes --reference NAME and --judge NAME, and these are of --estimate alone")
        return self.estimate

    def write(self, warehouse: Warehouse, selection: MeasuredRuns, output: ArrangedOutput, **how: Any) -> None:
        """Write a row for each run and measure; with ``baseline`` among the parameters of differences."""
        if selection.qrels:
            raise UsageError("--estimate names its judgments by --reference and --judge, not by --qrels")
        sets, chosen = (str(self.reference), str(self.judge)), selection.chosen(warehouse)
        query = judging.corrected_query(warehouse.evaluation, selection.measures, *sets, runs=chosen, **how)
        table = output.table_of(warehouse, query)
        write_table(output.first_rows(table), output, warehouse, _DROPPED_OF_ESTIMATES)
        named = {"reference": self.reference, "judge": self.judge}
        note(*warehouse.database.remarks("correction_remarks", {"corrected": query}, **named))
        note(*judging.on_few_judged(warehouse.evaluation, *sets, runs=chosen))
