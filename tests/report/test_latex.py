"""What is written as LaTeX compiles, whatever runs are called; and decimal points stand below each other."""

from __future__ import annotations

import io
import os
import shutil
import string
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import evalsql
from evalsql.report import writers
from evalsql.report.comparison import Comparison
from evalsql.report.table import Table
from evalsql.report.writers import decimal_parts, escape_latex, in_bold, latex_needs
from tests.conftest import Command
from tests.report.conftest import NASTY

# Names that LaTeX reads as something else where they stand as they are, and names of other scripts.
HOSTILE = (
    *NASTY,
    *("_", "%", "&", "#", "~", "\\", "{", "}", "^", "$x$", "*star", "[8pt]", "]", "--", "?`", '"', "|", "@{}"),
    *("a\nb", "a\n\nb", "\\end{tabular}", "^^M", "\\\\*[3cm]", "tab\there", "nul\x00"),
    *("caf\u00e9", "na\u00efve \u2013 \u201cquoted\u201d", "BM25-\u03b1\u03b2\u03c9", "\u010ca\u0161a", "\u20ac"),
)
POLISH = "\u0105\u0119 \u00abx\u00bb \u0110 \u00de"
OTHERS = "\u6f22\u5b57 \U0001f600 e\u0301 \u0416"

Compiler = Callable[..., str]


@pytest.fixture
def compiled(tmp_path: Path) -> Compiler:
    """Compiles a document around some LaTeX, and gives its log; without LaTeX tests are skipped, unless demanded."""

    def compile_document(body: str, program: str = "pdflatex") -> str:
        if not shutil.which(program) and not os.environ.get("EVALSQL_DEMAND_LATEX"):
            pytest.skip(f"no {program} is installed (Debian's package texlive-latex-recommended)")
        needed = [line.removeprefix("% Needs ") for line in body.splitlines() if line.startswith("% Needs \\")]
        packages = "\n".join(line.partition(" for ")[0].rstrip(".") for line in needed)
        document = f"\\documentclass{{article}}\n{packages}\n\\begin{{document}}\n{body}\\end{{document}}\n"
        (tmp_path / "paper.tex").write_text(document, encoding="utf-8")
        done = subprocess.run(
            [program, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"],
            cwd=tmp_path,
            capture_output=True,
            timeout=900,
            check=False,
        )
        log = (tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")
        assert done.returncode == 0, [line for line in log.splitlines() if line.startswith(("!", "l."))]
        assert (tmp_path / "paper.pdf").stat().st_size > 1000
        return log

    return compile_document


def test_what_does_not_compile_is_found(compiled: Compiler) -> None:
    with pytest.raises(AssertionError, match="Undefined control sequence"):
        compiled("\\nosuchcommand")


@pytest.mark.parametrize(
    "asked",
    [
        "leaderboard -m AP,ESL,Utility,NumRet",
        "topics bm25 -m AP",
        "compare bm25 -m AP,ESL,Utility --relative",
        "compare bm25 -m AP,Utility --all-pairs --daggers --relative --rename bm25=BM25_%&#{~^\\",
        "ls",
    ],
)
def test_what_commands_write_compiles(sample_file: Path, command: Command, compiled: Compiler, asked: str) -> None:
    done = command(*asked.split(), "--db", sample_file, "--format", "latex")
    assert done.returncode == 0, done.stderr
    compiled(done.stdout)


def of_names(names: tuple[str, ...]) -> str:
    """All names in a leaderboard, and in a comparison as runs, measures, judgments and baseline."""
    stream = io.StringIO()
    writers.write_latex([Table(["run", "x_%&"], [(name, -0.5) for name in names])], stream, 2)
    base, *others = names
    pairs = [
        {
            "baseline": base,
            "run": run,
            "measure": names[-1],
            "num_topics": 5,
            "baseline_mean": 0.5,
            "mean": -0.25,
            "difference": -0.75,
            "p_corrected": 0.01,
            "num_tests": len(others),
        }
        for run in others
    ]
    for baseline in (base, None):
        compared = Comparison(names[0], pairs, [names[-1]], "t", "holm", 0.05, baseline=baseline)
        writers.write_latex([compared.table(2)], stream, 2)
    return stream.getvalue()


def test_hostile_names_compile(compiled: Compiler) -> None:
    assert latex_needs(of_names(HOSTILE)) == "% Needs \\usepackage{booktabs}.\n"
    # With the place of a float for each page there is no page that is too full.
    compiled(of_names(HOSTILE))


def test_letters_that_need_other_fonts_are_named(compiled: Compiler) -> None:
    text = of_names(("a", POLISH))
    assert "% Needs \\usepackage[T1]{fontenc} for \u00ab \u00bb \u00de \u0105 \u0110 \u0119\n" in text
    assert "LuaLaTeX" not in text
    compiled(text)


def test_letters_that_need_another_program_are_named(compiled: Compiler) -> None:
    text = of_names(("a", OTHERS))
    assert "% Needs LuaLaTeX or XeLaTeX, and a font that has \u0301 \u0416 \u5b57 \u6f22 \U0001f600\n" in text
    compiled(text, "lualatex")


def test_every_letter_that_needs_nothing_compiles(compiled: Compiler) -> None:
    letters = [
        chr(code) for code in (*range(32, 127), *range(0xA0, 0x250), *range(0x370, 0x400), *range(0x2010, 0x2130))
    ]
    plain = [letter for letter in letters if latex_needs(escape_latex(letter)) == latex_needs("")]
    assert {*string.printable[:94]} < {*plain}
    assert len(plain) > 250
    compiled("".join(f"{escape_latex(letter)}\n\n" for letter in plain))


def test_a_report_compiles(sample_file: Path, command: Command, compiled: Compiler, tmp_path: Path) -> None:
    done = command("report", "--db", sample_file, "--run", "bm25", "--run", "dense", "-m", "AP", "-o", "report.tex")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "report.tex").read_text(encoding="utf-8")
    assert "\\section{" in text
    compiled(text)


def test_a_report_of_hostile_names_compiles(nasty: Path, command: Command, compiled: Compiler, tmp_path: Path) -> None:
    shutil.copy(nasty / "evalsql.duckdb", tmp_path / "nasty.duckdb")
    with evalsql.open(tmp_path / "nasty.duckdb", read_only=True) as warehouse:
        assert {run for (run,) in warehouse.rows("select run from runs")} == {*NASTY}
    done = command("report", "--db", "nasty.duckdb", "-m", "AP", "-o", "report.tex")
    assert done.returncode == 0, done.stderr
    compiled((tmp_path / "report.tex").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("0.1234", ("0", ".1234")),
        ("-12.5", ("$-$12", ".5")),
        ("<0.0001", ("$<$0", ".0001")),
        ("12", ("12", "")),
        ("", ("", "")),
        ("-1.2e-87", ("$-$1", r"$.2 \cdot 10^{-87}$")),
        ("3e+16", ("3", r"$ \cdot 10^{16}$")),
    ],
)
def test_numbers_are_parted_at_the_point(text: str, parts: tuple[str, str]) -> None:
    assert decimal_parts(text) == parts


def test_what_is_bold_has_no_empty_group() -> None:
    assert [*map(in_bold, decimal_parts("7"))] == ["\\textbf{7}", ""]


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a--b", "a-{}-b"),
        ("*x", "{*}x"),
        ("[x]", "{[}x{]}"),
        ("\u03b1", r"$\alpha$"),
        ("a\n\nb", "a  b"),
        ("a|b", r"a\textbar{}b"),
        ("what?`", "what?{}`"),
    ],
)
def test_names_as_latex_prints_them(name: str, written: str) -> None:
    assert escape_latex(name) == written
