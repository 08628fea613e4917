"""The help of every command: its example runs, its line in the list is whole, its options say if they repeat."""

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

import evalsql
from evalsql.cli.app import app
from tests.conftest import FIXTURES, SAMPLE, Command, assert_refused, own_measure, write
from tests.engines.runs import demand
from tests.long_cases import one_in

GROUP: Any = get_command(app)


def named_commands() -> dict[tuple[str, ...], Any]:
    """Every command that a help lists, by its words."""
    found: dict[tuple[str, ...], Any] = {}
    context = typer.Context(GROUP)
    for name in GROUP.list_commands(context):
        one = GROUP.get_command(context, name)
        inner = one.list_commands(context) if hasattr(one, "list_commands") else []
        found |= {(name, each): one.get_command(context, each) for each in inner} | {(name,): one}
    return {words: one for words, one in found.items() if not one.hidden}


COMMANDS = named_commands()
# What a command takes one of is told where it is given twice, see test_options.py.
OF_ONE = {
    *((name, "--qrels") for name in ("report", "chart", "explain", "load lists", "load weights")),
    *((name, "--qrels") for name in ("load topics", "load groups")),
    ("explain", "--measure"),
}
NUGGETS = "load qrels nuggets.jsonl --form nuggets"
# What is there before an example, and what it writes that no -o names.
BEFORE = {
    ("agreement",): ["load qrels qrels.txt --name second"],
    ("export", "assignments"): [NUGGETS, "load assignments assignments.jsonl --name rag-1"],
    ("export", "citations"): [NUGGETS, "load citations citations.csv --name rag-1"],
    ("export", "topics"): ["load topics queries.tsv"],
    ("export", "weights"): ["load weights weights.txt --qrels sample"],
    ("import",): ["export warehouse archive"],
    ("load", "assignments"): [NUGGETS],
    ("load", "citations"): [NUGGETS],
}
ALSO_WRITTEN = {
    ("conformance",): "conformance-cases",
    ("demo",): "evalsql-demo.duckdb",
    ("export", "warehouse"): "archive",
    ("import",): "copy.duckdb",
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory, sample_file: Path) -> Path:
    """What each example starts from, for its test to copy."""
    folder = tmp_path_factory.mktemp("prepared")
    shutil.copy(sample_file, folder / "evalsql.duckdb")
    with evalsql.open(folder / "evalsql.duckdb") as warehouse:
        warehouse.execute("update runs set meta = map {'system': run} where run = 'hybrid'")
    shutil.copy(SAMPLE / "qrels.txt", folder / "qrels.txt")
    (folder / "runs").mkdir()
    for name, run in (("first", "bm25"), ("second", "dense")):
        shutil.copy(SAMPLE / "runs" / f"{run}.run", folder / "runs" / f"{name}.run")
    own_measure(folder / "own" / "half.sql", "Half", "select qrels, run, topic, value / 2 as value from ap")
    write(folder / "weights.txt", "T01 2\nT02 0.5\n")
    write(folder / "queries.tsv", "T01\tland mines\nT02\tradio\n")
    write(folder / "costs.csv", "run,topic,latency_ms\nbm25,T01,12.5\n")
    write(folder / "groups.csv", "topic,language\nT01,en\nT02,de\n")
    judged = (SAMPLE / "qrels.txt").read_text().split()[2]
    write(folder / "corpus.jsonl", json.dumps({"_id": judged, "text": "what it says"}) + "\n")
    with evalsql.open(sample_file, read_only=True) as warehouse:
        elsewhere = "select qrels, 'elsewhere' as run, topic, measure, value from scores where run = 'dense'"
        warehouse.execute(f"copy ({elsewhere} and measure = 'AP') to '{folder}/scores.parquet' (format parquet)")
    (folder / "results" / "lab__dense" / "1").mkdir(parents=True)
    result = {"task_name": "Forum", "scores": {"test": [{"ndcg_at_10": 0.5, "main_score": 0.5}]}}
    write(folder / "results" / "lab__dense" / "1" / "Forum.json", json.dumps(result))
    write(folder / "paper.toml", 'measures = ["AP"]\nsystems = ["bm25", "dense"]\n')
    shutil.copy(FIXTURES / "nuggets" / "nuggets.jsonl", folder / "nuggets.jsonl")
    shutil.copy(FIXTURES / "nuggets" / "runs" / "system.jsonl", folder / "assignments.jsonl")
    shutil.copy(FIXTURES / "nuggets" / "citations" / "system.csv", folder / "citations.csv")
    write(folder / "lists.txt", "q1 1\n2\n1 9\n0 8\n1 7\n\nq2 1\n1\n0 5\n1 4\n")
    return folder


@pytest.fixture
def demonstration(tmp_path: Path, prepared: Path) -> Path:
    """A folder with the sample in a warehouse, and files to load."""
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    return tmp_path


# A server goes on until it is stopped: the one of tests/server is started by the example.
@pytest.mark.parametrize("name", one_in(20, [" ".join(words) for words in COMMANDS if words != ("serve",)]))
def test_the_example_of_every_command_runs(command: Command, demonstration: Path, name: str) -> None:
    words = tuple(name.split())
    shown = command(*words, "--help").stdout
    (example,) = re.findall(r"^  Example: evalsql (.*)$", shown, re.MULTILINE)
    arguments = shlex.split(example)
    assert tuple(arguments[: len(words)]) == words
    for first in BEFORE.get(words, ()):
        assert command(*first.split()).returncode == 0
    if words == ("spark", "eval"):
        demand("spark")
    before = set(demonstration.iterdir())
    outcome = command(*arguments)
    # Systems of the sample have tied documents, which ties tells with its exit code.
    assert outcome.returncode == (1 if words == ("ties",) else 0), outcome.stderr
    written = {path.name for path in set(demonstration.iterdir()) - before}
    named = set(re.findall(r"(?:-o|--out|--write|--chart) (\S+)", example))
    assert written == named | ({ALSO_WRITTEN[words]} if words in ALSO_WRITTEN else set())
    assert outcome.stdout or written or words[0] in ("annotate", "load", "shell", "vacuum", "fuse")


@pytest.mark.parametrize("words", [(), ("load",), ("export",)])
def test_a_line_of_the_list_is_whole(command: Command, words: tuple[str, ...]) -> None:
    sections = command(*words, "--help").stdout.split("\n\n")
    last_options = max(at for at, section in enumerate(sections) if section.startswith("Options:"))
    lines = [line for section in sections[last_options + 1 :] for line in section.splitlines() if line.startswith(" ")]
    listed = [(*words, line.split()[0]) for line in lines]
    assert sorted(listed) == sorted(each for each in COMMANDS if each[:-1] == words)
    for line in lines:
        assert len(line) <= 80
        assert line.endswith(".")
        assert not line.endswith("..")


def test_options_say_whether_they_repeat() -> None:
    for words, one in COMMANDS.items():
        for each in one.params:
            if each.param_type_name == "option" and not each.hidden:
                repeats = each.multiple and (" ".join(words), each.opts[0]) not in OF_ONE
                assert ("can be repeated" in (each.help or "")) == repeats, (words, each.opts)


def test_the_help_of_a_chart_fits(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = command("chart", "--help").stdout.splitlines()
    assert "leaderboard" in " ".join(lines)
    assert max(map(len, lines)) <= 80


def test_three_guides_that_speak_of_a_word_are_named(command: Command) -> None:
    told = command("help", "nDCG").stderr.partition("guides that speak of it: ")[2]
    assert told.count(",") == 2, told


@pytest.mark.long
def test_a_new_measure_is_one_to_start_from(command: Command, tmp_path: Path) -> None:
    """It is P at its cutoff, until it is changed."""
    outcome = command("measures", "--new", "FirstHits")
    assert (outcome.returncode, outcome.stdout) == (0, ""), outcome.stderr
    assert "wrote first_hits.sql; evalsql eval QRELS RUN -m FirstHits --measure-file first_hits.sql" in outcome.stderr
    words = ("eval", SAMPLE / "qrels.txt", SAMPLE / "runs" / "bm25.run", "--measure-file", "first_hits.sql", "-q")
    found = command(*words, "-m", "FirstHits(depth=3)", "--format", "csv").stdout
    assert found.replace("FirstHits(depth=3)", "P@3") == command(*words, "-m", "P@3", "--format", "csv").stdout != ""
    assert_refused(command("measures", "--new", "FirstHits"), "first_hits.sql: exists already")
    assert_refused(command("measures", "--new", "MAP"), "map is already a name of the measure")
    assert [path.name for path in tmp_path.glob("*.sql")] == ["first_hits.sql"]
