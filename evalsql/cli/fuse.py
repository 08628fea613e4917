"""``evalsql fuse``: a new run from several."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from evalsql.cli.access import Loading
from evalsql.cli.load_options import Meta, Replace, parse_meta
from evalsql.cli.options import complete_qrels, complete_runs, grouped_options, qrels_option
from evalsql.cli.output import OutputOptions, note, progress_bar, write_table
from evalsql.errors import UsageError
from evalsql.phrases import counted
from evalsql.report.table import Table
from evalsql.warehouse.fusion import Tuning
from evalsql.warehouse.fusion import fuse as fuse_runs
from evalsql.warehouse.warehouse import Warehouse


@grouped_options
def fuse(
    *,
    method: Annotated[
        str,
        typer.Argument(
            help="Of scores: sum, mnz, gmnz, anz, min, max, med, mixed. Of ranks: rrf, rbc, isr, log_isr, logn_isr, "
            "borda, condorcet. Learnt from judgments: map, pos, slide, prob, seg, bayes."
        ),
    ],
    runs: Annotated[
        list[str],
        typer.Argument(autocompletion=complete_runs, help="Runs, or globs of names, in the order of weights."),
    ],
    name: Annotated[str, typer.Option(help="Name of the new run.")],
    norm: Annotated[
        Literal["none", "min-max", "max", "sum", "z-score", "rank", "borda"] | None,
        typer.Option(help="How scores are made comparable; by default min-max."),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(metavar="W,W,...", help="Weights of the runs in their order; by default 1 for each.")
    ] = None,
    tune: Annotated[
        str | None, typer.Option(metavar="MEASURE", help="Search weights by this measure, each topic being held out.")
    ] = None,
    folds: Annotated[
        int, typer.Option(min=2, help="Parts of the topics; each part is fused by what is best on the others.")
    ] = 5,
    step: Annotated[float, typer.Option(help="Between weights that are tried.")] = 0.1,
    learn_from: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", autocompletion=complete_qrels, help="Judgments to learn from, if there are several."
        ),
    ] = None,
    k: Annotated[float | None, typer.Option("--k", help="Of rrf; by default 60.")] = None,
    phi: Annotated[float | None, typer.Option(help="Of rbc; by default 0.8.")] = None,
    gamma: Annotated[float | None, typer.Option(help="Of gmnz; by default 1.")] = None,
    sigma: Annotated[float | None, typer.Option(help="Of logn_isr; by default 0.01.")] = None,
    window: Annotated[int | None, typer.Option(min=0, help="Ranks to either side, of slide; by default 5.")] = None,
    segments: Annotated[int | None, typer.Option(min=1, help="Parts of a ranking, of prob; by default 25.")] = None,
    rel: Annotated[int | None, typer.Option(min=0, help="Least relevant grade, where it learns; by default 1.")] = None,
    qrels: Annotated[
        list[str] | None,
        qrels_option(
            help="Judgments to evaluate with, by default those that evaluate all of the runs; can be repeated.",
        ),
    ] = None,
    depth: Annotated[int | None, typer.Option(min=1, help="Keep so many documents of each topic.")] = None,
    tie_rule: Annotated[
        Literal["trec_eval", "trec_eval_10"], typer.Option("--tie-rule", help="As of loaded runs.")
    ] = "trec_eval",
    replace: Replace = False,
    meta: Meta = None,
    output: OutputOptions,
    loading: Loading,
) -> None:
    """Make a new run from several.

    It is a run like any other, and its meta says what it was made of. With --tune a table tells the weights of each
    fold and what they are worth on the topics they were chosen on and on the others.

    Example: evalsql fuse rrf bm25 dense --k 60 --name bm25-dense
    """
    pairs = parse_meta(meta)
    given = None if weights is None else _numbers(weights)
    loading.require()
    with loading.open() as warehouse, progress_bar() as progress:
        fused = fuse_runs(
            warehouse.loader,
            method,
            runs,
            name,
            norm=norm,
            weights=given,
            tune=tune,
            folds=folds,
            step=step,
            learn_from=learn_from,
            qrels=qrels or (),
            depth=depth,
            tie_rule=tie_rule,
            replace=replace,
            meta=pairs,
            progress=progress,
            k=k,
            phi=phi,
            gamma=gamma,
            sigma=sigma,
            w=window,
            segments=segments,
            rel=rel,
        )
        _tell(warehouse, name)
        if fused.tuning is not None:
            _tell_tuning(fused.tuning, name)
            write_table(_table(fused.tuning), output, warehouse)


def _numbers(text: str) -> list[float]:
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise UsageError(f'--weights takes numbers with commas between them, found "{text}"') from None


def _tell(warehouse: Warehouse, name: str) -> None:
    ((made_of, topics, documents),) = warehouse.rows(
        """
        select meta['fusion_runs'], count(*), sum(num_ret)
        from runs join run_topics using (run_id) where run = ? group by all
        """,
        [name],
    )
    note(f"fused {made_of} into {name}: {counted(documents, 'document')} of {counted(topics, 'topic')}")


def _table(tuning: Tuning) -> Table:
    columns = ("fold", tuning.searched, "training_topics", "in_fold", "topics", "out_of_fold")
    return Table(columns, [(each.fold or "all", *each[1:]) for each in tuning.folds])


def _tell_tuning(tuning: Tuning, name: str) -> None:
    whole = tuning.whole
    note(
        f"{tuning.measure} is {whole.in_fold:.4f} on the topics that the {tuning.searched} were chosen on, "
        f"{whole.out_of_fold:.4f} on topics that they were not chosen on"
    )
    note(
        f"{name} has each judged topic by the {tuning.searched} of its fold, so that its figures are of the second "
        "kind; topics without judgments are by those of all"
    )
