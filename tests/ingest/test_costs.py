"""Costs of runs: every form gives the same, what is wrong is told, and they go where their runs go."""

import gzip
import io
import json
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

import evalsql
from evalsql import InputError, UsageError, Warehouse
from evalsql.evaluation.notices import audits, findings
from tests.conftest import warned, write

VALUES = [("a", None, None, "energy_J", 9.5), ("a", "1", None, "latency_ms", 20.0), ("a", "2", 1, "latency_ms", 0.0)]
VALUES += [("a", "2", 2, "latency_ms", 7.0), ("b", "1", None, "latency_ms", 1e-5)]
LONG = [dict(zip(("run", "topic", "call", "cost", "value"), row, strict=True)) for row in VALUES]
WIDE = [{**row, row["cost"]: row["value"]} for row in LONG]
for row in WIDE:
    del row["cost"], row["value"]
METADATA = """\
ir_metadata.start
actor:
  team: none
resources:
  energy:
    system: {energy}
    series:
      values:
        - 3
  runtime:
    "start time": 2026-11-26T02:18:23+0000
    wallclock: 471 ms
    share: 12.5 %
tag: {tag}
ir_metadata.end
"""


@pytest.fixture
def ran(empty: Warehouse) -> Warehouse:
    empty.load_qrels({"1": {"d": 1}, "2": {"d": 1}}, "q")
    for run in ("a", "b"):
        empty.load_run({"1": {"d": 1.0}, "3": {"d": 1.0}}, run)
    return empty


def held(warehouse: Warehouse) -> list[tuple[object, ...]]:
    columns = "select run, topic, call, cost, value from costs join runs using (run_id)"
    return warehouse.rows(f"{columns} left join topics using (topic_id) order by run, topic nulls first, call, cost")


def delimited(rows: list[dict[str, object]], delimiter: str) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    cells = [["" if row.get(name) is None else str(row[name]) for name in names] for row in rows]
    return "".join(delimiter.join(line) + "\n" for line in [names, *cells])


@pytest.mark.long
@pytest.mark.parametrize("rows", [LONG, WIDE], ids=["long", "wide"])
def test_every_form_gives_the_same(ran: Warehouse, tmp_path: Path, rows: list[dict[str, object]]) -> None:
    parquet = io.BytesIO()
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = pyarrow.table({name: [row.get(name) for row in rows] for name in names})
    pyarrow.parquet.write_table(table, parquet)
    files: dict[str, str | bytes] = {
        "CSV": delimited(rows, ","),
        "TSV": delimited(rows, "\t"),
        "JSON lines": "".join(json.dumps(row) + "\n" for row in rows),
        "a list": json.dumps(rows),
        "Parquet": parquet.getvalue(),
    }
    for form, content in files.items():
        loaded = ran.load_costs(write(tmp_path / "costs", content), replace=True)
        assert (held(ran), loaded) == (VALUES, (5, ["energy_J", "latency_ms"], ["a", "b"])), form
        origins = ran.rows("select run, num_rows from files join runs on run_id = id where kind = 'costs' order by run")
        assert origins == [("a", 4), ("b", 1)], form
    for data in (rows, table):
        ran.load_costs(data, replace=True)
        assert held(ran) == VALUES
    assert findings(ran.evaluation, audits(ran.catalog)) == []


def test_rows_of_one_run_units_and_other_names(ran: Warehouse, tmp_path: Path) -> None:
    ran.load_costs(write(tmp_path / "a.csv", "qid,latency_ms,model\n1,20,x\n2,,y\n"), run="a", costs=["latency_ms"])
    named = {"run": "system", "topic": "asked"}
    ran.load_costs(write(tmp_path / "b.tsv", "system\tasked\tname\tvalue\tunit\nb\t3\tprice\t2\tusd\n"), columns=named)
    ran.load_costs([{"run": "b", "topic": "3", "cost": "wait_ms", "value": 4, "unit": "ms"}])
    ran.load_costs({"b": {"energy_J": 3}})
    assert held(ran) == [
        ("a", "1", None, "latency_ms", 20),
        ("b", None, None, "energy_J", 3),
        ("b", "3", None, "price_usd", 2),
        ("b", "3", None, "wait_ms", 4),
    ]
    with pytest.raises(UsageError, match="its rows name their run, so that a is not to be named"):
        ran.load_costs([{"run": "b", "topic": "1", "x": 1}], run="a")
    with pytest.raises(UsageError, match="no row has a number of latency"):
        ran.load_costs([{"run": "b", "topic": "1", "x": 1}], costs="latency")


def test_numbers_of_topics_are_called_as_the_user_says(ran: Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", '{"1": 20, "2": 7.5}')
    with pytest.raises(UsageError, match=r"a.json: its numbers have no name; --cost NAME"):
        ran.load_costs(path, run="a")
    ran.load_costs(path, run="a", costs="latency_ms")
    assert held(ran) == [("a", "1", None, "latency_ms", 20.0), ("a", "2", None, "latency_ms", 7.5)]


def test_metadata_of_a_run(ran: Warehouse, tmp_path: Path) -> None:
    """As ir_metadata and tirex-tracker have it: numbers with their units, below keys whose names are put together."""
    path = write(tmp_path / "one.yml", METADATA.format(tag="a", energy="12.5 J"))
    ran.load_costs(path)
    numbers = {"energy_system_J": 12.5, "runtime_share": 12.5, "runtime_wallclock_ms": 471}
    assert {cost: value for *_, cost, value in held(ran)} == numbers
    assert {row[:3] for row in held(ran)} == {("a", None, None)}
    write(path, METADATA.format(tag="elsewhere", energy="null J"))
    assert warned(lambda: ran.load_costs(path, run="b")) == [f"{path}: left out, since they are null: energy_system_J"]
    with pytest.raises(InputError, match="names no run by a tag; --run NAME"):
        ran.load_costs(write(tmp_path / "two.yaml", "resources:\n  runtime: 3 s\n"))
    with pytest.raises(InputError, match="has no numbers below resources"):
        ran.load_costs(write(tmp_path / "two.yaml", "tag: a\nruntime: 3 s\n"))


def test_metadata_as_its_writers_write_it(ran: Warehouse, tmp_path: Path) -> None:
    """tirex-tracker's command has objects on one line, PyYAML quotes keys, people add comments."""
    written = """tag: a # the run
resources:
  "runtime":
    "wallclock": 471 ms # in all
    'start time': 2026-11-26T02:18:23+0000
  cpu:
    used: {"max": 117, "timeseries": {"timestamps": ["1ms"], "values": [2]}, "by": {"core 1": 1.5}}
    energy: NaN J
  gpu: {used: 3 %}
  ram: 3kB
"""
    path = write(tmp_path / "ir-metadata.yml", written)
    left_out = f"{path}: left out, since they are no numbers: cpu_energy, gpu, ram"
    assert warned(lambda: ran.load_costs(path)) == [left_out]
    numbers = {"runtime_wallclock_ms": 471, "cpu_used_max": 117, "cpu_used_by_core_1": 1.5}
    assert {cost: value for *_, cost, value in held(ran)} == numbers
    with pytest.raises(InputError, match=r"two\.yml:11: a second document begins here"):
        ran.load_costs(write(tmp_path / "two.yml", f"{written}---\n{written}"), replace=True)
    cut = gzip.compress(written.encode())[:-9]
    with pytest.raises(InputError, match=r"cut\.yml\.gz: cannot be read: Compressed file ended"):
        ran.load_costs(write(tmp_path / "cut.yml.gz", cut))
    with pytest.raises(InputError, match=r"wide\.yml: is text in UTF-16; save it as UTF-8"):
        ran.load_costs(write(tmp_path / "wide.yml", written.encode("utf-16")))
    with pytest.raises(InputError, match="there is no column run in its header"):  # and not: no row has such a cost
        ran.load_costs(write(tmp_path / "c.csv", "name,time\na,3\n"), costs="time")


REFUSED = {
    "c,1,,3": "no run is called c; evalsql load runs FILE brings runs",
    "a,9,,3": "run a has no topic 9",
    "a,,1,3": "call 1 is of no topic",
    "a,1,0,3": "call is 0, but must be a whole number from 1",
    "a,1,,-1": "latency_ms of run a, topic 1 is -1, but must be finite and 0 or more",
    "a,1,,inf": "latency_ms of run a, topic 1 is inf, but must be finite and 0 or more",
    "a,1,2,1_000": 'latency_ms of run a, topic 1, call 2 is "1_000", which is no number; --cost names the columns',
    "a,1,,2\na,1,,2.0\na,1,,3": "latency_ms of run a, topic 1 is 3, and 2 at line 2; it has one number",
    ",1,,3": "run is empty, and it says what the row is of",
}


def test_what_is_wrong_is_told_with_its_line(ran: Warehouse, tmp_path: Path) -> None:
    for rows, complaint in REFUSED.items():
        path = write(tmp_path / "costs.csv", f"run,topic,call,latency_ms\n{rows}\n")
        with pytest.raises(InputError) as refused:
            ran.load_costs(path)
        assert f"{path}:{2 + rows.count(chr(10))}: {complaint}" in str(refused.value)
    with pytest.raises(InputError, match='"3 ms" cannot name a cost: a name begins with a letter'):
        ran.load_costs({"a": {"3 ms": 1}})
    for empty in ("", "run,topic,latency_ms\n", "run,topic,latency_ms\na,1,\n"):
        with pytest.raises(InputError, match="holds no costs"):
            ran.load_costs(write(tmp_path / "costs.csv", empty))
    assert held(ran) == []


def test_calls_are_those_of_the_run(ran: Warehouse, tmp_path: Path) -> None:
    """The column of latencies of a run with calls, which are counted from 0 there and from 1 here."""
    path = write(
        tmp_path / "c.csv", "topic,hop,document,score,latency_ms\n1,0,d,2,30\n1,0,e,1,30\n1,1,d,2,40\n2,0,d,1,5\n"
    )
    ran.load_runs(path, call="hop")
    ran.load_costs(path, run="c", costs="latency_ms")
    calls = [("c", "1", 1, "latency_ms", 30), ("c", "1", 2, "latency_ms", 40), ("c", "2", 1, "latency_ms", 5)]
    assert held(ran) == calls
    assert ran.rows("select topic, value from cost order by topic") == [("1", 70), ("2", 5)]
    with pytest.raises(InputError, match="topic 2 of run c has no call 1"):
        ran.load_costs([{"run": "c", "topic": "2", "call": 1, "tokens": 5}])


@pytest.mark.long
def test_costs_are_replaced_and_go_with_their_runs(ran: Warehouse, tmp_path: Path) -> None:
    ran.load_costs([{"run": "a", "topic": "3", "x": 1, "y": 2}, {"run": "b", "topic": "3", "x": 1}])
    with pytest.raises(UsageError, match="already loaded: x of a; --replace"):
        ran.load_costs([{"run": "a", "topic": "1", "x": 5}])
    ran.load_costs([{"run": "a", "topic": "1", "x": 5}], replace=True)
    assert held(ran) == [("a", "1", None, "x", 5), ("a", "3", None, "y", 2), ("b", "3", None, "x", 1)]
    ran.export(tmp_path / "archive")
    evalsql.import_warehouse(tmp_path / "archive", tmp_path / "copy.duckdb")
    with evalsql.open(tmp_path / "copy.duckdb") as copy:
        assert held(copy) == held(ran)
    again = warned(lambda: ran.load_run({"1": {"d": 1.0}}, "a", replace=True))
    assert again == ["the costs of a went with what is replaced; load them again"]
    assert held(ran) == [("b", "3", None, "x", 1)]
    ran.drop_runs("b")
    assert (held(ran), ran.rows("select 1 from files where kind = 'costs'")) == ([], [])
