"""``evalsql conformance`` and ``which``: what other programs compute, and by which convention a figure was made."""

from pathlib import Path
from typing import Literal

import typer

from evalsql.cli.declare import command, option
from evalsql.cli.gate_history import SAYS_NO
from evalsql.cli.output import note, text_output
from evalsql.conformance import check, programs, suite
from evalsql.errors import UsageError
from evalsql.phrases import counted

_FORMS = Literal["text", "json", "markdown", "junit"]


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
    form: _FORMS = option("--format", "How verdicts are written.", "text"),
    output: Path | None = option("--output -o FILE", "Write to this file."),
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
        num_cases = programs.write(write)
        note(f"{write}: {counted(num_cases, 'case')}; README.md there says how to use them")
        return
    cases = suite()
    try:
        if program is not None:
            found = programs.values_of_command(program, cases)
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
        print(check.rendered(verdicts, "md" if form == "markdown" else form), file=stream)
    _note_verdicts(verdicts, len(cases.cases))
    if not check.passes(verdicts):
        raise typer.Exit(SAYS_NO)


def _note_verdicts(verdicts: list[check.Verdict], num_cases: int) -> None:
    followed = sum(verdict.variant is not None for verdict in verdicts)
    note(f"{followed} of {counted(len(verdicts), 'measure')} follow a named variant, by {counted(num_cases, 'case')}")
    open_ones = [each.measure for each in verdicts if " or " in (each.variant or "")]
    if open_ones:
        note(f"not told apart by the values given: {', '.join(open_ones)}")
