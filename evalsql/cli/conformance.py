"""``evalsql conformance`` and ``which``: what other programs compute, and by which convention a figure was made."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Literal

import typer

from evalsql.catalog.relations import read_catalog
from evalsql.cli.declare import argument, command, flag, option
from evalsql.cli.output import OUTPUT, SAYS_NO, OutputOptions, note, progress_bar, text_output, write_table
from evalsql.conformance import CASES, check, suite
from evalsql.conformance.check import ERROR, Given, Suite
from evalsql.database.database import MEMORY
from evalsql.errors import UsageError
from evalsql.ingest.files.input_files import files_named, stem
from evalsql.phrases import counted, shortened
from evalsql.report.table import Table
from evalsql.report.terminal import printable
from evalsql.warehouse.figures import Figure, compared_query, figure_of, read_figures
from evalsql.warehouse.open import open_database
from evalsql.warehouse.warehouse import Warehouse


@command
def which(
    *,
    qrels: str = argument("The judgments, as of evalsql load qrels.", ...),
    run: str = argument("The run; with --values all runs of the table, as a folder or a glob.", ...),
    measure: str | None = argument("The measure that the figure is of, such as nDCG@10."),
    figure: str | None = argument("The figure as it is printed, such as .4213."),
    values: Path | None = option("--values FILE", "A table of figures: system, measure, value, or a column a measure."),
    cutoffs: bool = flag("--cutoffs", "Try other cutoffs too."),
    limit: int = option("--limit N", "Rows.", 10, min=1),
    most: int | None = option("--most N", hidden=True, min=1),  # what it was called
    output: OutputOptions,
) -> None:
    """By which convention a figure was made.

    The measure is evaluated with the gains, thresholds, orders of ties and topics that programs take, and by formulas
    that they have by convention or by mistake. Those whose value rounds to the figure are listed, the fewest changes
    first. Ends with 0 if there is one. Ends with 1 if none gives the figure, and lists the nearest.

    Example: evalsql which qrels.txt runs/first.run nDCG@10 .6444
    """
    if (values is None) is (figure is None or measure is None):
        raise UsageError("give a measure and its figure, or --values FILE with figures of several runs")
    limit = most or limit
    with Warehouse(open_database(MEMORY)) as warehouse:
        warehouse.load_qrels(qrels, "qrels")
        if values is None:
            figures, runs = [Figure(stem(run), str(measure), figure_of(str(figure)))], [run]
        else:
            figures, runs = _figures(warehouse, values, measure, run)
        with progress_bar() as progress:
            compared, left_out = compared_query(warehouse, runs, figures, other_cutoffs=cutoffs, progress=progress)
            kept = warehouse.evaluation.keep(compared)
        order = "num_changes, is_formula, convention, measure"
        query = (
            f"select measure, convention, value, distance, fits from {kept} where is_needed "
            f"order by not fits, if(fits, 0, distance), {order}"
        )
        if values is not None:
            rows = {"compared_figures": f"select * from {kept}"}
            counts = warehouse.database.query("convention_counts", rows)
            query = f"select * exclude (num_changes, is_formula) from ({counts}) order by num_fitting desc, {order}"
        table = Table(*warehouse.database.table(query))
        ((fitting,),) = warehouse.rows(f"select count(*) from {kept} where is_needed and fits")
        shown = min(limit, fitting) if fitting and values is None else limit
        write_table(table._replace(rows=table.rows[:shown]), output, warehouse)
    note(*left_out)
    if values is None and fitting > limit:
        note(f"conventions that give the figure too, with no fewer changes: {fitting - limit}; --limit shows them")
    if not fitting:
        more = "" if cutoffs else "; --cutoffs tries other cutoffs too"
        note(f"no convention that was tried gives the figure, the nearest are listed{more}")
        raise typer.Exit(SAYS_NO)


def _figures(warehouse: Warehouse, values: Path, measure: str | None, pattern: str) -> tuple[list[Figure], list[str]]:
    """The figures of a table, of one measure if it is named, and the files of the runs that have some."""
    figures, others = read_figures(values, warehouse.catalog)
    figures = [each for each in figures if measure is None or each.asked.lower() == measure.lower()]
    files = {stem(path): path for path in files_named(pattern)}
    systems = dict.fromkeys(each.system for each in figures)
    if others:
        note(f"{values}: no measures are called {', '.join(others)}")
    if without := [system for system in systems if system not in files]:
        note(f"{counted(len(without), 'system')} of {values} without a run: {shortened(without, 3)}")
    runs = [files[system] for system in systems if system in files]
    if not runs:
        raise UsageError(f"{values}: no figure of such a measure and run; a system goes by its run's name")
    return [each for each in figures if each.system in files], runs


@command
def conformance(
    *,
    program: str | None = option(
        "--command COMMAND", "Such as 'my-eval {qrels} {run} {measure}'; it prints a number, or nothing."
    ),
    python: str | None = option(
        "--python MODULE:FUNCTION", "function(qrels, run, measure), of dictionaries by topic and document."
    ),
    values: Path | None = option("--values FILE", "A table with the columns case, measure and value."),
    write: Path | None = option("--write DIR", "Write the cases and a checker for other languages; judge nothing."),
    form: Literal["text", "json", "markdown", "junit"] = option("--format", "How verdicts are written.", "text"),
    output: Path | None = OUTPUT,
) -> None:
    """Which variant of each measure another program computes.

    The program is asked about small cases, each of which separates conventions. Where it follows no named variant, the
    cases are listed with what it gave and what each variant gives, and the likely cause. Ends with 0 if each measure
    follows a variant, 1 if one does not, 2 if that cannot be decided.

    Example: evalsql conformance --write conformance-cases
    """
    given = [each for each in (program, python, values, write) if each is not None]
    if len(given) != 1:
        raise UsageError("give one of --command, --python, --values FILE and --write DIR; see evalsql help conformance")
    if write is not None:
        num_cases = _write_cases(write)
        note(f"{write}: {counted(num_cases, 'case')}; README.md there says how to use them")
        return
    cases = suite()
    try:
        if program is not None:
            found = _values_of_command(program, cases)
        elif python is not None:
            found = check.values_of(check.imported(python), cases)
        else:
            found = check.read_values(Path(str(values)))
        verdicts = check.judge(found, cases)
    except (ValueError, OSError) as error:
        raise UsageError(str(error)) from error
    if not verdicts:
        raise UsageError("there is no value to judge by; the program computes none of the measures")
    with text_output(output, None) as stream:
        print(printable(check.rendered(verdicts, "md" if form == "markdown" else form)), file=stream)
    followed = sum(verdict.variant is not None for verdict in verdicts)
    by = f"by {counted(len(cases.cases), 'case')}"
    note(f"measures that follow a named variant: {followed} of {len(verdicts)}, {by}")
    if open_ones := [each.measure for each in verdicts if " or " in (each.variant or "")]:
        note(f"not told apart by the values given: {', '.join(open_ones)}")
    if not check.passes(verdicts):
        raise typer.Exit(SAYS_NO)


_PATIENCE = 60  # seconds for one value
_NAMED = re.compile(r"\{(qrels|run|measure|trec_eval)\}")  # what a command is told


def _values_of_command(text: str, cases: Suite) -> dict[tuple[str, str], Given]:
    """What a command prints for each case and measure; with {trec_eval}, for measures that trec_eval has alone."""
    words = shlex.split(text)
    if not words or not all(f"{{{name}}}" in text for name in ("qrels", "run")):
        raise UsageError(f'"{text}": a command names its files, as in "my-eval {{qrels}} {{run}} {{measure}}"')
    if "{measure}" not in text and "{trec_eval}" not in text:
        raise UsageError(
            f'"{text}": a command is told its measure, by {{measure}} or by trec_eval\'s name, {{trec_eval}}'
        )
    by_trec_eval = trec_names()
    values: dict[tuple[str, str], Given] = {}
    for case, measure in cases.asked():
        name, _, cutoff = measure.partition("@")
        trec_name = by_trec_eval.get((name, bool(cutoff)))
        if "{trec_eval}" in text and trec_name is None:
            continue
        folder = cases.folder / case
        filled = {"qrels": str(folder / "qrels.txt"), "run": str(folder / "run.txt"), "measure": measure}
        filled["trec_eval"] = f"{trec_name}.{cutoff}" if cutoff else str(trec_name)
        values[case, measure] = _printed(words, filled)
    return values


def trec_names() -> dict[tuple[str, bool], str]:
    """trec_eval's names of measures, with a cutoff or without."""
    return {
        (relation.header.measure, bool(alias.cutoffs)): alias.name
        for relation in read_catalog().measures
        for alias in relation.header.trec_eval
        if not alias.presets and [*alias.parameters] in ([], ["k"], ["gains"])
    }


def _printed(words: list[str], filled: dict[str, str]) -> str | None:
    """The last word that a command prints, None where it prints nothing; ``filled`` is for its braces."""
    words = [_NAMED.sub(lambda found: filled[found[1]], word) for word in words]
    try:
        done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return f"{ERROR}no answer in {_PATIENCE} seconds"
    except OSError as error:
        raise UsageError(f"{words[0]}: cannot be run: {error.strerror}") from error
    if done.returncode:
        told = done.stderr.strip().splitlines() or [""]
        return f"{ERROR}ended with {done.returncode}: {told[-1]}"
    return done.stdout.split()[-1] if done.stdout.strip() else None


def _write_cases(folder: Path) -> int:
    """Write the cases, their schema and page and the program that judges; gives the number of cases."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder}: not an empty folder; name a new one")
    shutil.copytree(CASES, folder, dirs_exist_ok=True)
    shutil.copyfile(str(check.__file__), folder / "check.py")
    return len(list(folder.glob("*/case.json")))
