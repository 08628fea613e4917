"""``--estimate`` of ``leaderboard`` and ``compare``: figures by a judge, corrected by what people judged."""

from dataclasses import dataclass
from typing import Any, ClassVar

from evalsql.cli.declare import flag, option
from evalsql.cli.options import ArrangedOutput, MeasuredRuns
from evalsql.cli.output import note, write_table
from evalsql.errors import UsageError
from evalsql.evaluation import judging
from evalsql.report.terminal import DroppedColumns
from evalsql.warehouse.warehouse import Warehouse

_DROPPED = DroppedColumns(
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
        write_table(output.first_rows(table), output, warehouse, _DROPPED)
        topics, others = (max(table.values(name)) for name in ("num_topics", "num_judged"))
        notes = table.values("note")
        few, surer = notes.count("few topics"), notes.count("people alone are surer")
        note(
            f"{topics} topics of {self.reference} and {others} more of {self.judge}; n_effective: topics of "
            f"{self.reference} that would be as sure without {self.judge}",
            *["fewer than 10 topics by people: n_effective is a guess, see evalsql help judges"] * bool(few),
            *[f"less sure than people's topics alone: {surer} of {len(notes)}"] * bool(surer),
            *judging.on_few_judged(warehouse.evaluation, *sets, runs=chosen),
            *[f"{self.judge} has no topic that {self.reference} lacks; nothing is estimated"] * (not others),
        )
