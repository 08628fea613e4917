"""Which runs are meant: conditions, dates, systems, the latest; and what is no condition."""

import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import evalsql
from evalsql import UsageError, Warehouse
from evalsql.evaluation.gate_decision import run_meant
from evalsql.evaluation.selection import latest_run
from tests.conftest import Command, assert_refused, csv_rows, module_file, new_file, write
from tests.long_cases import few_of, one_in, refusals, rows_of

# Name, system, version, date, branch, epoch; in the order of loading.
RUNS = [
    ("old", None, None, "2020-05-01", "main", "1"),
    ("a1", "a", "3f2a", "2026-10-01", "main", "9"),
    ("a3", "a", "12", "2026-10-03", "test", "10"),
    ("a2", "a", "3f2b", "2026-10-02", "main", "x"),
    ("b1", "b", "12", "2026-10-02T06:30", "main", None),
    ("b2", "b", "13", "2026-10-02T23:00:00-05:00", None, "30"),
]


def meta(row: tuple[str | None, ...]) -> dict[str, str]:
    keys = ("system", "version", "date", "branch", "epoch")
    return {key: value for key, value in zip(keys, row[1:], strict=True) if value is not None}


def fill(warehouse: Warehouse) -> None:
    warehouse.load_qrels({"1": {"d": 1}}, "set")
    for row in RUNS:
        warehouse.load_run({"1": {"d": 1.0}}, row[0], meta=meta(row))


path = module_file(fill)


@pytest.fixture(scope="module")
def held(path: Path) -> Iterator[Warehouse]:
    with evalsql.open(path, read_only=True) as warehouse:
        yield warehouse


@pytest.mark.parametrize(("options", "expected"), one_in(3, rows_of(Path(__file__).with_name("chosen.tsv"))))
def test_runs_are_chosen(held: Warehouse, options: str, expected: str) -> None:
    """A text that is no number is not equal to one, and 10 is above 9."""
    assert held.choose_runs(**json.loads(options)) == expected.split()


@pytest.mark.parametrize(("where", "complaint"), refusals(__file__, "condition"))
def test_what_is_no_condition_is_refused(held: Warehouse, where: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=re.escape(complaint)):
        held.choose_runs(where=where)
    assert held.rows("select count(*) from runs") == [(len(RUNS),)]


def drawn_condition(drawing: random.Random, depth: int) -> tuple[str, Callable[[dict[str, str]], bool | None]]:
    """SQL, and what it says of a run: three-valued logic, in which a comparison with null is unknown."""
    kind = drawing.choice(("and", "or", "not", "leaf")) if depth else "leaf"
    if kind == "leaf":
        key, value = drawing.choice([("branch", "main"), ("system", "a"), ("version", "12"), ("epoch", "9")])
        sign = drawing.choice(("=", "<>", "is null"))
        if sign == "is null":
            return f"meta.{key} is null", lambda row: key not in row
        return f"meta.{key} {sign} '{value}'", lambda row: (row[key] == value) is (sign == "=") if key in row else None
    (left, says), (right, says_too) = (drawn_condition(drawing, depth - 1) for _ in range(2))
    if kind == "not":
        return f"not ({left})", lambda row: None if (found := says(row)) is None else not found
    ends = kind == "or"  # the value that decides alone

    def both(row: dict[str, str]) -> bool | None:
        found = {says(row), says_too(row)}
        return ends if ends in found else None if None in found else not ends

    return f"({left}) {kind} ({right})", both


@pytest.mark.parametrize("seeds", few_of([range(8), range(8, 60)], 1), ids=["few", "more"])
def test_drawn_conditions_mean_what_python_means(held: Warehouse, seeds: range) -> None:
    for seed in seeds:
        text, says = drawn_condition(random.Random(seed), 3)
        expected = {row[0] for row in RUNS if says({"run": str(row[0]), **meta(row)})}
        if expected:
            assert set(held.choose_runs(where=text)) == expected
        else:
            with pytest.raises(UsageError, match="no run fits"):
                held.choose_runs(where=text)


def test_names_that_are_not_there_are_refused(held: Warehouse) -> None:
    for options, complaint in (
        ({"systems": ["c"]}, 'no system is called "c"; there are: a, b'),
        ({"since": "yesterday"}, '--since is "yesterday", expected a date'),
        ({"last": 0}, "--last is 0"),
        ({"names": ["zz"]}, 'no run is called "zz"'),
        ({"since": "2030-01-01"}, "no run fits --since 2030-01-01"),
    ):
        with pytest.raises(UsageError, match=re.escape(complaint)):
            held.choose_runs(**options)


def test_the_latest_run_before_a_candidate(held: Warehouse) -> None:
    assert latest_run(held.database, "", "a3") == "a2"
    assert latest_run(held.database, "main", "b2") == "b1"
    assert latest_run(held.database, "version = '3f2a'", "a3") == "a1"
    meant = {"latest": "b2", "latest:main": "b1", "latest:system = 'a'": "a3", "a1": "a1"}
    assert {given: run_meant(held.database, given) for given in meant} == meant
    assert held.gate("latest", "RR drop <= 0", baseline="latest").baseline == "b1"
    with pytest.raises(UsageError, match="no run is loaded with system = 'c'"):
        run_meant(held.database, "latest:system = 'c'")
    with pytest.raises(UsageError, match="a1: no run of the system a is dated before it"):
        latest_run(held.database, "", "a1")
    with pytest.raises(UsageError, match=r"with meta\.branch .* is dated before it"):
        latest_run(held.database, "test", "a3")


@pytest.mark.parametrize(
    "words",
    [
        *("leaderboard -m AP", "ls", "export scores -m AP --format jsonl"),
        *few_of(["pool --depth 1", "topics -m AP", "compare a1 -m AP", "ties -m AP", "curve pr"], 1),
    ],
)
def test_commands_that_take_runs_take_them_all(path: Path, command: Command, words: str) -> None:
    # An export locks the settings, and those of a file that this process holds are one thing in DuckDB 1.5.
    is_export = "export" in words
    file = new_file(like=path) if is_export else path
    asked = (*words.split(), *(() if is_export else ("--format", "csv")), "--db", file)
    options = ("--where", "meta.branch = 'main'", "--system", "a", "--since", "2026-10-02", "--last", "1")
    chosen, named = command(*asked, *options), command(*asked, "a2")
    assert (chosen.returncode, chosen.stdout) == (0, named.stdout), chosen.stderr
    assert ("a2" in chosen.stdout, "old" in chosen.stdout) == ("pool" not in words, False)
    assert_refused(command(*asked, "--where", "f()"), "is not allowed")
    assert_refused(command(*asked, "--where", "run = 'nothing'"), "no run fits --where")


def test_ls_is_a_line_a_run(path: Path, command: Command) -> None:
    found = csv_rows(command("ls", "--db", path, "--format", "csv").stdout)
    assert [row["name"] for row in found] == ["set", *sorted(row[0] for row in RUNS)]
    (row,) = (row for row in found if row["name"] == "a2")
    assert (row["qrels"], row["system"], row["version"], row["meta"]) == ("set", "a", "3f2b", "branch=main epoch=x")
    assert row["dated_at"] == "2026-10-02 00:00:00"
    long = csv_rows(command("ls", "a2", "--long", "--db", path, "--format", "csv").stdout)
    assert set(long[0]) - set(row) == {"tag", "tie_rule", "num_weights", "loaded_at", "replaced_at", "file"}


def test_facts_of_runs_are_meta(command: Command, tmp_path: Path) -> None:
    write(tmp_path / "x.run", "1 Q0 d 1 1.0 t\n")
    words = ("load", "runs", "x.run", "--db", "w.duckdb")
    facts = ("--system", "s", "--version", "v1", "--date", "2026-10-01T02:00:00+02:00", "--meta", "k=1")
    assert command(*words, *facts).returncode == 0
    asked = "select run, system, version, dated_at from run_versions"
    found = command("sql", asked, "--db", "w.duckdb", "--format", "csv").stdout
    assert found.splitlines()[1] == "x,s,v1,2026-10-01 00:00:00"
    again = command(*words, "--name", "y")
    assert "x.run: is loaded as y, and the same file was loaded as x before" in again.stderr
    for options, complaint in (
        (("--date", "soon"), '--date is "soon", expected a date'),
        (("--system", "s", "--meta", "system=t"), "--system and --meta system= are the same"),
        (("--version", ""), "--version is empty"),
    ):
        assert_refused(command(*words, "--name", "z", *options), complaint)


@pytest.mark.long
def test_drop_and_keep_take_what_is_chosen(path: Path, command: Command, tmp_path: Path) -> None:
    copy = new_file(tmp_path, like=path)
    db = ("--db", copy, "--format", "csv")
    assert "evalsql keep --last N" in command("drop", "runs", "--last", "1", *db).stderr
    assert command("drop", "qrels", "set", "--since", "2020-01-01", *db).returncode == 2
    assert command("drop", "runs", *db).returncode == 2
    kept = command("keep", "--last", "1", "--system", "a", *db)
    assert [row["name"] for row in csv_rows(kept.stdout)] == ["a1", "a2"]
    kept = command("keep", "--last", "1", "--where", "meta.branch = 'main'", *db)
    assert (csv_rows(kept.stdout), "1 run without a system stays" in kept.stderr) == ([], True)
    dropped = command("drop", "runs", "--where", "meta.branch = 'main'", *db)
    assert [row["name"] for row in csv_rows(dropped.stdout)] == ["b1", "old"]
