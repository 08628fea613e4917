"""``evalsql fuse``: a new run from several."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Literal

from evalsql.cli.access import Loading
from evalsql.cli.declare import Names, argument, command, option
from evalsql.cli.load import Kept
from evalsql.cli.options import OutputOptions
from evalsql.cli.output import note, progress_bar, write_table
from evalsql.errors import UsageError
from evalsql.phrases import counted
from evalsql.report.table import Table
from evalsql.warehouse.fusion import fuse as fuse_runs

Norm = Literal["none", "min-max", "max", "sum", "z-score", "rank", "borda"]


@dataclass(frozen=True)
class Fusing:
    norm: Norm | None = option("--norm", "How scores are made comparable; by default min-max.")
    tune: str | None = option("--tune MEASURE", "Search weights by this measure, each topic being held out.")
    folds: int = option("--folds", "Parts of the topics; each part is fused by what is best on the others.", 5, min=2)
    step: float = option("--step", "Between weights that are tried.", 0.1)
    learn_from: str | None = option("--learn-from NAME", "Judgments to learn from, if several.", complete="qrels")
    k: float | None = option("--k", "Of rrf; by default 60.")
    phi: float | None = option("--phi", "Of rbc; by default 0.8.")
    gamma: float | None = option("--gamma", "Of gmnz; by default 1.")
    sigma: float | None = option("--sigma", "Of logn_isr; by default 0.01.")
    w: int | None = option("--window", "Ranks to either side, of slide; by default 5.", min=0)
    segments: int | None = option("--segments", "Parts of a ranking, of prob; by default 25.", min=1)
    rel: int | None = option("--rel", "Least relevant grade, where it learns; by default 1.", min=0)
    depth: int | None = option("--depth", "Keep so many documents of each topic.", min=1)
    tie_rule: Literal["trec_eval", "trec_eval_10"] = option("--tie-rule", "As of loaded runs.", "trec_eval")


@command
def fuse(
    *,
    method: str = argument(
        "Of scores: sum, mnz, gmnz, anz, min, max, med, mixed. Of ranks: rrf, rbc, isr, log_isr, logn_isr, "
        "borda, condorcet. Learnt from judgments: map, pos, slide, prob, seg, bayes.",
        ...,
    ),
    runs: Names = argument("Runs, or globs of names, in the order of weights.", ..., complete="runs"),
    name: str = option("--name", "Name of the new run.", ...),
    weights: str | None = option("--weights W,W,...", "Weights of the runs in their order; by default 1 for each."),
    qrels: Names = option(
        "--qrels NAME",
        "Judgments to evaluate with, by default those that evaluate all of the runs; can be repeated.",
        complete="qrels",
    ),
    fusing: Fusing,
    kept: Kept,
    output: OutputOptions,
    loading: Loading,
) -> None:
    """Make a new run from several.

    It is a run like any other, and its meta says what it was made of. With --tune a table tells the weights of each
    fold and what they are worth on the topics they were chosen on and on the others.

    Example: evalsql fuse rrf bm25 dense --k 60 --name bm25-dense
    """
    arguments = {**asdict(fusing), **kept.arguments()}
    try:
        numbers = [float(word) for word in weights.split(",")] if weights is not None else None
    except ValueError:
        raise UsageError(f'--weights takes numbers with commas between them, found "{weights}"') from None
    with loading.open_file(read_only=True):
        pass  # there is a warehouse
    with loading.open() as warehouse, progress_bar() as progress:
        arguments |= {"weights": numbers, "qrels": qrels, "progress": progress}
        fused = fuse_runs(warehouse.loader, method, runs, name, **arguments)
        ((made_of, topics, documents),) = warehouse.rows(
            """
            select meta['fusion_runs'], count(*), sum(num_ret)
            from runs join run_topics using (run_id) where run = ? group by all
            """,
            [name],
        )
        note(f"fused {made_of} into {name}: {counted(documents, 'document')} of {counted(topics, 'topic')}")
        if tuning := fused.tuning:
            note(
                f"{tuning.measure} is {tuning.whole.in_fold:.4f} on the topics that the {tuning.searched} were chosen "
                f"on, {tuning.whole.out_of_fold:.4f} on topics that they were not chosen on",
                f"{name} has each judged topic by the {tuning.searched} of its fold, so that its figures are of the "
                "second kind; topics without judgments are by those of all",
            )
            columns = ("fold", tuning.searched, "training_topics", "in_fold", "topics", "out_of_fold")
            folds = [(each.fold or "all", *each[1:]) for each in tuning.folds]
            write_table(Table(columns, folds), output, warehouse)
