"""``evalsql fuse``, ``pool`` and ``agreement``: a new run from several, what to judge next, how far judges agree."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from evalsql.catalog.measure_names import COMPARED_MEASURES
from evalsql.cli.declare import Names, argument, command, flag, option
from evalsql.cli.options import MEASURES, ArrangedOutput, Asking, Kept, Loading, MeasuredRuns
from evalsql.cli.output import READ, OutputOptions, note, progress_bar, text_output, write_file, write_table
from evalsql.database.names import named, resolve_names, resolve_one
from evalsql.errors import UsageError
from evalsql.evaluation import judging
from evalsql.evaluation.listings import arranged
from evalsql.phrases import counted, natural_key
from evalsql.report import writers
from evalsql.report.page.single_pages import for_spreadsheet, sheet_page
from evalsql.report.table import Table
from evalsql.report.terminal import DroppedColumns
from evalsql.warehouse.fusion import fuse as fuse_runs
from evalsql.warehouse.warehouse import Warehouse

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
    qrels: Names = option("--qrels NAME", "Judgments, by default of all runs; can be repeated.", complete="qrels"),
    fusing: Fusing,
    kept: Kept,
    output: OutputOptions,
    loading: Loading,
) -> None:
    """Make a new run from several; its meta says from what.

    With --tune a table has the weights of each fold and their worth on the topics they were chosen on and on others.

    Example: evalsql fuse rrf bm25 dense --k 60 --name bm25-dense
    """
    arguments = {**asdict(fusing), **kept.arguments(), "qrels": qrels}
    try:
        arguments["weights"] = None if weights is None else [float(word) for word in weights.split(",")]
    except ValueError:
        raise UsageError(f'--weights takes numbers with commas between them, found "{weights}"') from None
    loading.open_file(read_only=True).close()  # there is a warehouse
    with loading.open() as warehouse, progress_bar() as progress:
        tuning = fuse_runs(warehouse.loader, method, runs, name, **arguments, progress=progress)
        query = f"select meta['fusion_runs'], count(*), sum(num_ret) from {named('run_topics', 'runs')}"
        ((made_of, topics, documents),) = warehouse.rows(f"{query} where run = ? group by all", [name])
        note(f"fused {made_of} into {name}: {counted(documents, 'document')} of {counted(topics, 'topic')}")
        if tuning:
            note(
                f"{tuning.measure} is {tuning.whole.in_fold:.4f} on the topics that the {tuning.searched} were chosen "
                f"on, {tuning.whole.out_of_fold:.4f} on topics that they were not chosen on",
                f"{name} has each judged topic by the {tuning.searched} of its fold, so that its figures are of the "
                "second kind; topics without judgments are by those of all",
            )
            columns = ("fold", tuning.searched, "training_topics", "in_fold", "topics", "out_of_fold")
            write_table(Table(columns, [(each.fold or "all", *each[1:]) for each in tuning.folds]), output, warehouse)


_MOST_GRADES = 10  # that a page has keys for


@command
def pool(
    *,
    selection: MeasuredRuns,
    depth: int = option("--depth", "Documents of each run and topic.", 10, min=1),
    unjudged: bool = flag("--unjudged", "Only documents that are still to be judged."),
    first: Literal["runs", "total", "figure", "order"] = option(
        "--first",
        "What comes first: what most runs return (runs), or what could change the figures of all runs "
        "(total), the figure of one (figure) or the difference of two (order) most.",
        "runs",
    ),
    limit: int | None = option("--limit N", "Only the first N documents, as many as can be judged.", min=1),
    persistence: float = option("--p", "Of RBP, by which changes are reckoned.", 0.8, min=0, max=1),
    contributions: bool = flag("--contributions", "What each run gives, and its figures without what it alone gives."),
    rel: int = option("--rel", "Least relevant grade, of --contributions.", 1, min=0),
    write: Path | None = option("--write FILE", "A sheet to judge in, with the texts that are held: .csv or .html."),
    grades: str | None = option("--grades N,N,...", "Of an .html sheet; by default those of the judgments held."),
    output: OutputOptions,
    asking: Asking,
) -> None:
    """Put the first documents of runs together, for judging.

    With --unjudged --qrels names the judgments that count, by default all. The page that --write FILE.html writes saves
    judgments, and evalsql load qrels takes these, as it takes a .csv with grades.

    Example: evalsql pool --unjudged --limit 20 --write to_judge.html
    """
    if contributions and limit is not None:
        raise UsageError("--limit is of documents to judge; --contributions has a row for each run and measure")
    if selection.measure and not contributions:
        raise UsageError("-m is of --contributions; without it a pool has no figures")
    if write is not None:
        writers.known_extension(write, (".csv", ".html"), "a sheet is written")
        if contributions or output.path:
            raise UsageError("--write writes a sheet; --contributions and -o are of tables")
    if not 0 < persistence < 1:
        raise UsageError(f"--p is {persistence:g}, but must be above 0 and below 1")
    with asking.open() as warehouse:
        chosen: dict[str, Any] = {"runs": selection.chosen(warehouse), "qrels": selection.qrels}
        if contributions:
            measures = selection.measure or COMPARED_MEASURES
            found = judging.contributions(warehouse.evaluation, measures, **chosen, depth=depth, rel=rel)
            write_table(Table(*found), output, warehouse)
            return
        how: dict[str, Any] = {"depth": depth, "unjudged": unjudged, "first": first, "p": persistence}
        query = judging.pool_query(warehouse.database, **chosen, **how)
        left_out = 0
        if limit is not None:
            ((left_out,),) = warehouse.rows(f"select count(*) from (select * from ({query}) offset {limit})")
            query = arranged(warehouse.database, query, sort=None, limit=limit)
        if write is None:
            table = Table(*warehouse.database.table(query))
            write_table(table, output, warehouse)
        else:
            table = _write_sheet(warehouse, query, write, selection.qrels, first, grades)
        documents = counted(len(table.rows), "document") + (" to judge" if unjudged else "")
        note(f"{documents} of {counted(len({*table.values('topic')}), 'topic')}, the first {depth} of each run")
        if left_out:
            note(f"--limit leaves out {counted(left_out, 'document')}")


def _write_sheet(
    warehouse: Warehouse, pooled: str, path: Path, qrels: Names, first: judging.Priority, grades: str | None
) -> Table:
    found = Table(*warehouse.database.table(judging.sheet_query(warehouse.database, pooled, qrels=qrels, first=first)))
    sheet = found._replace(rows=sorted(found.rows, key=lambda row: natural_key(str(row[0]))))
    if path.suffix.lower() == ".csv":
        with text_output(path, warehouse) as stream:
            writers.write(for_spreadsheet(sheet), "csv", stream, 0)
        if any(writers.inert(each) != each for row in sheet.picked("topic", "document") for each in row):
            note("some names begin as a spreadsheet's formulas do, and are kept so; a sheet .html shows them as text")
    elif not sheet.rows:
        raise UsageError(f"{path}: nothing to judge is left; without --unjudged the sheet has what is judged too")
    else:
        write_file(sheet_page(sheet, _grades(warehouse, grades)), path, warehouse)
    for name, texts in (("topics", sheet.picked("topic_text")), ("documents", sheet.picked("title", "text"))):
        if lacking := sum(not any(each) for each in texts):
            note(f"{lacking:,} of {len(texts):,} rows have no text of {name}; evalsql load {name} FILE brings them")
    note(f"the sheet has {counted(path.stat().st_size, 'byte')}")
    return sheet


def _grades(warehouse: Warehouse, given: str | None) -> Sequence[int]:
    """Those that were given, else those of the judgments held, if these are few; else 0 and 1."""
    try:
        asked = sorted({int(word) for word in given.split(",")}) if given is not None else []
    except ValueError:
        asked = [-1]
    if asked and (asked[0] < 0 or len(asked) < 2):
        expected = "whole numbers from 0 with commas between them, such as 0,1,2"
        raise UsageError(f'--grades takes {expected}; found "{given}"')
    held = warehouse.rows("select distinct grade from judged_documents where grade >= 0 order by grade")
    return asked or ([grade for (grade,) in held] if 2 <= len(held) <= _MOST_GRADES else [0, 1])


@dataclass(frozen=True)
class Comparing:
    """How judges are compared, as parameters of the relations."""

    heading: ClassVar = "With a reference"
    rel: int | None = option("--rel", "Compare relevant or not by this least grade; by default the grades.", min=0)
    group_key: str = option("--group KEY", "Of --show groups: key of the meta of runs.", "family")
    top: int = option("--top", "Of --show systems: runs that are first by the reference.", 10, min=2)
    alpha: float = option("--alpha", "Of --show systems: corrected p below which two runs differ.", 0.05, min=0, max=1)
    confidence: float = option("--confidence", "Level of the intervals.", 0.95, min=0, max=1)
    samples: int = option("--samples", "Samples of topics, for intervals of kappa and alpha.", 1000, min=1)
    seed: int = option("--seed", "Another seed gives other samples.", 42)


_MOST_PAIRS = 10  # of each statistic
_EVALUATED = "select 1 from evaluations where qrels_id = (select qrels_id from qrels where qrels = ?) limit 1"
_WIDE = DroppedColumns(("qrels", "num_runs", "num_topics"))


@command
def agreement(
    *,
    qrels: Names = argument("Judgment sets, or globs of names; with --reference all by default.", complete="qrels"),
    reference: str | None = option("--reference NAME", "Judgments that all others are held against.", complete="qrels"),
    show: Literal["statistics", "grades", "confusion", "documents", "figures", "systems", "groups"] = option(
        "--show",
        "Kappa and alpha (statistics), higher and lower by grade (grades), how often grades meet (confusion), "
        "documents that are judged otherwise (documents). Of runs: figures by each set side by side (figures), what "
        "becomes of their order (systems), whether those of a group gain (groups).",
        "statistics",
    ),
    comparing: Comparing,
    measure: Names = MEASURES,
    run: Names = option("--run NAME", "Run whose figures count, or a glob; can be repeated.", complete="runs"),
    output: ArrangedOutput,
    asking: Asking,
) -> None:
    """How far judgment sets agree, or judges with a reference.

    Cohen's kappa of each pair, Fleiss' kappa and Krippendorff's alpha of all, over documents that are judged by both,
    by all, or by two at least. With --reference a row a judge, with intervals; see evalsql help judges.

    Example: evalsql agreement --reference sample second
    """
    of_runs = show in ("figures", "systems", "groups")
    if (measure or run) and not of_runs:
        raise UsageError("-m and --run are of --show figures, systems and groups")
    how = {**asdict(comparing), "group_key": comparing.group_key.removeprefix("meta.")}
    with asking.open() as warehouse:
        database, names, apart = warehouse.database, qrels, list[str]()
        if reference is not None:
            reference = resolve_one(database, "qrels", reference)
            names, apart = judging.judges(database, qrels, reference)
        orders, most = list[tuple[Any, ...]](), None
        if of_runs:
            asked = warehouse.evaluation, names, measure or COMPARED_MEASURES, run
            query, orders = judging.effects(*asked, show=show, reference=reference, **how)
        else:
            is_read = output.chosen_format in READ and output.path is None and not (output.sort or output.limit)
            most = _MOST_PAIRS if is_read else None
            query = judging.agreement_query(database, show, names, reference=reference, most=most, **how)
        table = output.first_rows(output.table_of(warehouse, query))
        write_table(table, output, warehouse, _WIDE)
        for name, one, other, num_runs, tau_b, tau_ap in orders if show == "figures" else ():
            order = f"order of {num_runs} runs by {one} and by {other}"
            known = tau_b is not None and f"{order}: tau-b {tau_b:.4f}, tau_AP {tau_ap:.4f}"
            note(f"{name}: {known or f'{one} and {other} leave nothing to order'}")
        if show == "statistics" and reference is None:
            _note_pairs(table, len(resolve_names(database, "qrels", qrels)), most)
        elif show == "statistics" and database.rows(_EVALUATED, [reference]):
            note("--show systems has what this does to the order of runs, --show groups whether some are favoured")
        note(*(f"left out: {text}" for text in apart))


def _note_pairs(table: Table, num_sets: int, most: int | None) -> None:
    if len(table.rows) <= 1:
        note("no document is judged by two of these sets")
    shown = table.values("statistic").count("agreement")
    if most is not None and shown == most < num_sets * (num_sets - 1) // 2:
        note(f"the {most} pairs that agree most, by each statistic; -o FILE has all, --reference NAME a row a judge")
