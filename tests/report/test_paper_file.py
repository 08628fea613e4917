"""A paper's table from its description: the figures are those of compare, newer runs change it, mistakes are named."""

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


@pytest.mark.long
def test_the_table_has_the_figures_of_compare(demo: Command, tmp_path: Path) -> None:
    write(tmp_path / "paper.toml", PAPER)
    asked = ("compare", "bm25", "tfidf", "rerank-large", "-m", "AP,nDCG@10", "--format", "csv")
    pairs = csv_rows(demo(*asked).stdout)
    text = demo("table", "paper.toml").stdout
    assert "wrote table.tex\n" in demo("table", "paper.toml", "-o", "table.tex").stderr
    rows = {line.partition(" & ")[0]: line for line in text.splitlines() if re.search(r"& \S*\.\d", line)}
    assert list(rows) == ["tfidf", r"BM25 \& more", "rerank-large"]  # as they are given
    for pair in pairs:
        shown = re.sub(r"\\textbf\{([^}]*)\}", r"\1", rows[pair["run"]])
        assert float(pair["p_corrected"]) < 0.05
        mark = f"$^{{\\{'d' if float(pair['difference']) < 0 else ''}dagger}}$"
        assert f"& {float(pair['mean']):.3f}{mark}" in shown.replace("\\rlap{", "")
    assert "\\caption{Main results. $\\dagger$ is significantly better than BM25 \\& more, " in text
    assert "\\label{tab:main}\n" in text
    assert "run & \\multicolumn{1}{c}{AP} & \\multicolumn{1}{c}{Gain\\_10} \\\\" in text
    assert text.startswith(
        "% Made by evalsql table paper.toml; changes belong there.\n% BM25 & more is the run bm25.\n"
    )


@pytest.mark.long
def test_names_may_be_latex_and_the_first_column_has_a_heading(demo: Command, tmp_path: Path) -> None:
    """In the table and in its caption, in which all else is escaped."""
    names = 'name = "nDCG$_{10}$"', "name = '\\textsc{BM25}$^\\alpha$'", "baseline = '\\textsc{BM25}$^\\alpha$'"
    old = 'name = "Gain_10"', 'name = "BM25 & more"', 'baseline = "BM25 & more"'
    text = PAPER.replace("Main results.", "A & B.")
    for before, after in zip(old, names, strict=True):
        text = text.replace(before, after)
    write(tmp_path / "paper.toml", f'header = "System"\nraw_names = true\n{text}')
    made = demo("table", "paper.toml").stdout
    assert "\nSystem & \\multicolumn{1}{c}{AP} & \\multicolumn{1}{c}{nDCG$_{10}$} \\\\\n" in made
    assert "\n\\textsc{BM25}$^\\alpha$ & " in made
    assert r"\caption{A \& B. $\dagger$ is significantly better than \textsc{BM25}$^\alpha$, " in made


@pytest.mark.long
def test_the_options_are_those_of_compare(demo: Command, tmp_path: Path) -> None:
    write(
        tmp_path / "paper.toml",
        'measures = ["AP"]\nsystems = ["bm25", "dense", "hybrid"]\nbaseline = "bm25"\npairs = true\nrelative = true\n'
        'test = "wilcoxon"\ncorrection = "bonferroni"\nfamily = "all"\nalpha = 0.01\norder = "mean"\n',
    )
    options = ("--test", "wilcoxon", "--correction", "bonferroni", "--family", "all", "--alpha", "0.01")
    shown = ("--all-pairs", "--daggers", "--relative", "--format", "latex")
    compared = demo("compare", "bm25", "dense", "hybrid", "-m", "AP", *options, *shown).stdout
    made = demo("table", "paper.toml").stdout
    assert made.partition("\n")[2] == compared
    assert "+" in compared
    assert demo("table", "paper.toml", "--format", "markdown").stdout.startswith("|  | run | AP |\n")


@pytest.mark.long
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
