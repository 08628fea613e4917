"""What is written as LaTeX compiles, whatever runs are called; and numbers are one cell each."""

import os
import shutil
import string
import subprocess
from pathlib import Path

import pytest

from evalsql.report import writers
from evalsql.report.comparison import Comparison
from evalsql.report.table import Table
from evalsql.report.writers import escape_latex, latex_label, latex_needs, latex_number
from tests.conftest import Command, write
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


def compiled(folder: Path, *bodies: str, program: str = "pdflatex") -> None:
    """Compile one document around some LaTeX; without LaTeX tests are skipped, unless demanded."""
    if not shutil.which(program) and not os.environ.get("EVALSQL_DEMAND_LATEX"):
        pytest.skip(f"no {program} is installed (Debian's package texlive-latex-recommended)")
    needed = [line.removeprefix("% Needs ") for line in "".join(bodies).splitlines() if line.startswith("% Needs \\")]
    packages = "\n".join(line.partition(" for ")[0].rstrip(".") for line in needed)
    body = "\\clearpage\n".join(bodies)
    document = f"\\documentclass{{article}}\n{packages}\n\\begin{{document}}\n{body}\\end{{document}}\n"
    write(folder / "paper.tex", document)
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=900, check=False)
    log = (folder / "paper.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, [line for line in log.splitlines() if line.startswith(("!", "l."))]
    assert (folder / "paper.pdf").stat().st_size > 1000


def test_what_does_not_compile_is_found(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="Undefined control sequence"):
        compiled(tmp_path, "\\nosuchcommand")


COMMANDS = (
    "leaderboard -m AP,ESL,Utility,NumRet",
    "topics bm25 -m AP",
    "compare bm25 -m AP,ESL,Utility --relative",
    "compare bm25 -m AP,Utility --all-pairs --daggers --relative --rename bm25=BM25_%&#{~^\\",
    "ls",
)


@pytest.mark.long
def test_what_is_written_compiles(demo: Command, nasty: Path, tmp_path: Path) -> None:
    """What commands print, reports, hostile names, and every letter that needs nothing, in one document."""
    written = []
    for asked in COMMANDS:
        done = demo(*asked.split(), "--format", "latex")
        assert done.returncode == 0, done.stderr
        written.append(done.stdout)
    done = demo("report", "--run", "bm25", "--run", "dense", "-m", "AP", "-o", "report.tex")
    assert done.returncode == 0, done.stderr
    reports = [(folder / "report.tex").read_text(encoding="utf-8") for folder in (tmp_path, nasty)]
    assert all("\\section{" in report for report in reports)
    written += [*reports, of_names(HOSTILE)]
    # Each says that it needs booktabs, and nothing more.
    assert {latex_needs(text) for text in written} == {"% Needs \\usepackage{booktabs}.\n"}
    assert all("% Needs \\usepackage{booktabs}.\n" in text for text in written)
    letters = [
        chr(code) for code in (*range(32, 127), *range(0xA0, 0x250), *range(0x370, 0x400), *range(0x2010, 0x2130))
    ]
    plain = [letter for letter in letters if latex_needs(escape_latex(letter)) == latex_needs("")]
    assert {*string.printable[:94]} < {*plain}
    assert len(plain) > 250
    compiled(tmp_path, *written, "".join(f"{escape_latex(letter)}\n\n" for letter in plain))


def of_names(names: tuple[str, ...]) -> str:
    """All names in a leaderboard, and in a comparison as runs, measures, judgments and baseline."""
    parts = [writers.latex([Table(["run", "x_%&"], [(name, -0.5) for name in names])], 2)]
    base, *others = names
    figures = {"num_topics": 5, "baseline_mean": 0.5, "mean": -0.25, "difference": -0.75, "p_corrected": 0.01}
    named = {"baseline": base, "measure": names[-1], "num_tests": len(others)}
    pairs = [{**named, "run": run, **figures} for run in others]
    for baseline in (base, None):
        compared = Comparison(names[0], pairs, [names[-1]], "t", "holm", 0.05, baseline=baseline)
        parts.append(writers.latex([compared.table(2)], 2))
    return "".join(parts)


@pytest.mark.parametrize(
    ("names", "needs", "program"),
    [
        (POLISH, "% Needs \\usepackage[T1]{fontenc} for \u00ab \u00bb \u00de \u0105 \u0110 \u0119\n", "pdflatex"),
        (
            OTHERS,
            "% Needs LuaLaTeX or XeLaTeX, and a font that has \u0301 \u0416 \u5b57 \u6f22 \U0001f600\n",
            "lualatex",
        ),
    ],
)
def test_letters_that_need_other_fonts_or_another_program_are_named(
    tmp_path: Path, names: str, needs: str, program: str
) -> None:
    text = of_names(("a", names))
    assert needs in text
    assert ("LuaLaTeX" in text) == (program == "lualatex")
    compiled(tmp_path, text, program=program)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *(("0.1234", "0.1234"), ("-12.5", "$-$12.5"), ("<0.0001", "$<$0.0001"), ("12", "12"), ("", "")),
        *(("-1.2e-87", r"$-1.2 \cdot 10^{-87}$"), ("3e+16", r"$3 \cdot 10^{16}$")),
    ],
)
def test_numbers_have_signs_and_powers_of_mathematics(text: str, number: str) -> None:
    assert latex_number(text) == number


def test_names_and_labels_as_latex_has_them() -> None:
    names = {
        **{"a--b": "a-{}-b", "*x": "{*}x", "[x]": "{[}x{]}", "\u03b1": r"$\alpha$", "a\n\nb": "a  b"},
        **{"a|b": r"a\textbar{}b", "what?`": "what?{}`"},
    }
    assert {name: escape_latex(name) for name in names} == names
    labels = {"a_b c%": "tab:a-b-c", "\u6f22": "tab:means", "x": "tab:x"}
    assert {name: latex_label(name) for name in labels} == labels
