"""A paper's table from its description: the figures are those of compare, newer runs change it, mistakes are named."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import SAMPLE, Command, csv_rows, write

PAPER = """
caption = "Main results."
label = "tab:main"
measures = ["AP", {measure = "nDCG@10", name = "Gain_10"}]
baseline = "BM25 & more"
digits = 3
systems = ["tfidf", {run = "bm25", name = "BM25 & more"}, {run = "rerank-large"}]
"""


@pytest.fixture
def paper(demo: Command, tmp_path: Path) -> Command:
    """The command in a folder with a description."""
    write(tmp_path / "paper.toml", PAPER)
    return demo


def test_the_table_has_the_figures_of_compare(paper: Command) -> None:
    asked = ("compare", "bm25", "tfidf", "rerank-large", "-m", "AP,nDCG@10", "--format", "csv")
    pairs = csv_rows(paper(*asked).stdout)
    text = paper("table", "paper.toml").stdout
    rows = {line.partition(" & ")[0]: line for line in text.splitlines() if re.search(r"& \S*\.\d", line)}
    assert list(rows) == ["tfidf", r"BM25 \& more", "rerank-large"]  # as they are given
    for pair in pairs:
        whole, _, decimals = f"{float(pair['mean']):.3f}".partition(".")
        shown = re.sub(r"\\textbf\{([^}]*)\}", r"\1", rows[pair["run"]])
        assert float(pair["p_corrected"]) < 0.05
        assert f"{whole} & .{decimals}$^{{\\{'d' if float(pair['difference']) < 0 else ''}dagger}}$" in shown
    assert "\\caption{Main results. Only differences to BM25 \\& more were tested" in text
    assert "\\label{tab:main}\n" in text
    assert "run & \\multicolumn{2}{c}{AP} & \\multicolumn{2}{c}{Gain\\_10} \\\\" in text
    assert text.startswith(
        "% Made by evalsql table paper.toml; changes belong there.\n% BM25 & more is the run bm25.\n"
    )


def test_the_options_are_those_of_compare(demo: Command, tmp_path: Path) -> None:
    write(
        tmp_path / "paper.toml",
        'measures = ["AP"]\nsystems = ["bm25", "dense", "hybrid"]\nbaseline = "bm25"\npairs = true\nrelative = true\n'
        'test = "wilcoxon"\ncorrection = "bonferroni"\nfamily = "measure"\nalpha = 0.01\norder = "mean"\n',
    )
    options = ("--test", "wilcoxon", "--correction", "bonferroni", "--family", "measure", "--alpha", "0.01")
    shown = ("--all-pairs", "--daggers", "--relative", "--format", "latex")
    compared = demo("compare", "bm25", "dense", "hybrid", "-m", "AP", *options, *shown).stdout
    made = demo("table", "paper.toml").stdout
    assert made.partition("\n")[2] == compared
    assert "+" in compared
    assert demo("table", "paper.toml", "--format", "markdown").stdout.startswith("|  | run | AP |\n")


def test_a_newer_run_of_a_system_makes_another_table(sample_file: Path, command: Command, tmp_path: Path) -> None:
    shutil.copy(sample_file, tmp_path / "evalsql.duckdb")
    table = ("table", "paper.toml", "-o", "table.tex")
    write(tmp_path / "paper.toml", 'measures = ["AP"]\nsystems = ["bm25", {system = "new", name = "New"}]\n')
    for source, name, date in (("dense", "a", "2026-01-01"), ("hybrid", "b", "2026-02-01")):
        write(tmp_path / f"{name}.run", (SAMPLE / "runs" / f"{source}.run").read_bytes())
        loaded = command("load", "runs", f"{name}.run", "--system", "new", "--date", date)
        assert loaded.returncode == 0, loaded.stderr
        if name == "a":
            assert command(*table).returncode == 0
            assert command(*table, "--check").returncode == 0
            assert "% New is the run a.\n" in (tmp_path / "table.tex").read_text()
    before = (tmp_path / "table.tex").read_text()
    checked = command(*table, "--check")
    assert checked.returncode == 1
    assert "table.tex: is not what would be written now" in checked.stderr
    assert (tmp_path / "table.tex").read_text() == before
    assert command(*table).returncode == 0
    assert "% New is the run b.\n" in (tmp_path / "table.tex").read_text()


GOOD = 'measures = ["AP"]\nsystems = ["bm25", "dense"]\n'


@pytest.mark.parametrize(
    ("text", "complaints"),
    [
        ("measures = [", ["paper.toml: is no TOML: "]),
        ("", ["paper.toml: systems: a table takes two", "paper.toml: measures: a table takes one"]),
        ('measures = ["AP"]\nsystems = ["bm25"]', ["paper.toml:2: systems: a table takes two"]),
        (
            GOOD + 'captoin = "x"\nalpha = 5',
            ["paper.toml:3: captoin: is not known; there are", "paper.toml:4: alpha: "],
        ),
        (GOOD + 'test = "student"', ['paper.toml:3: test: is "student", it must be one of t, wilcoxon']),
        (GOOD + "digits = true", ["paper.toml:3: digits: must be a whole number from 0 to 17"]),
        (GOOD + 'label = "a}b"', ["paper.toml:3: label: must be letters"]),
        (GOOD + "pairs = false", ["paper.toml: baseline: is missing, and pairs = false needs it"]),
        (GOOD + "relative = true", ["paper.toml: baseline: is missing, and relative = true needs it"]),
        (GOOD + 'baseline = "tfidf"', ['paper.toml:3: baseline: "tfidf" is not one of the systems']),
        (GOOD + 'qrels = "none"', ["paper.toml:3: qrels: "]),
        (GOOD + "pairs = 1", ["paper.toml:3: pairs: must be true or false"]),
        (GOOD + 'caption = ""', ["paper.toml:3: caption: must be a text"]),
        (
            'measures = "AP"\nsystems = [1, "b"]',
            ["paper.toml:1: measures: must be", "paper.toml:2: systems, entry 1: "],
        ),
        (
            'measures = ["AP", "Foo@1", "AP"]\nsystems = ["bm25", "dens", "r*", "bm25"]',
            [
                'paper.toml:1: measures, entry 2: unknown measure "Foo@1"',
                "paper.toml:1: measures, entry 3: AP is there twice",
                'paper.toml:2: systems, entry 2: no run is called "dens"',
                'paper.toml:2: systems, entry 3: "r*" stands for several',
                "paper.toml:2: systems, entry 4: bm25 is there twice",
            ],
        ),
        (
            'measures = ["AP"]\n[[systems]]\nrun = "bm25"\n[[systems]]\nnam = "x"\n'
            '[[systems]]\nrun = "a"\nsystem = "b"',
            [
                'paper.toml:4: systems, entry 2: has "nam", it takes run, system, name',
                "paper.toml:6: systems, entry 3: takes run or system, one of them",
            ],
        ),
    ],
)
def test_what_is_wrong_has_file_line_and_key(demo: Command, tmp_path: Path, text: str, complaints: list[str]) -> None:
    write(tmp_path / "paper.toml", text)
    done = demo("table", "paper.toml", "-o", "table.tex")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == len(complaints)
    for line, complaint in zip(done.stderr.splitlines(), complaints, strict=True):
        assert complaint in line
    assert not (tmp_path / "table.tex").exists()


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        ("absent.toml", "absent.toml: cannot be read"),
        ("paper.toml --check", "--check compares with a file"),
        ("paper.toml --check -o absent.tex", "absent.tex: cannot be read"),
        ("paper.toml -o table.pdf", "table.pdf: say which --format; the extensions known are .tex, .md"),
        ("paper.toml -o paper.toml --format latex", "paper.toml: is in use here"),
    ],
)
def test_calls_that_mean_nothing(paper: Command, asked: str, complaint: str) -> None:
    done = paper("table", *asked.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr
