"""``annotate`` changes what is kept with runs and judgments, and keeps what was there before."""

import pytest

from evalsql import UsageError, Warehouse
from evalsql.version import __version__
from tests.conftest import Command, csv_rows

METAS = "select run, meta from runs order by run"
HISTORY = "select kind, name, key, old_value, new_value, evalsql_version from meta_history order by all"


@pytest.fixture
def held(empty: Warehouse) -> Warehouse:
    empty.load_qrels({"1": {"a": 1}}, "q")
    for run in ("r1", "r2", "other"):
        empty.load_run({"1": {"a": 1}}, run, meta={"system": "s", "note": "it's"})
    return empty


def test_meta_is_changed_and_its_values_before_stay(held: Warehouse) -> None:
    assert held.annotate("r*", meta={"system": "s", "gpu": "a'100"}, remove="note", version="2") == ["r1", "r2"]
    assert held.annotate("r1", system="t", date="2026-01-02T00:00+01:00") == ["r1"]
    assert held.annotate(["r1", "r2"], system="t") == ["r2"]
    assert held.annotate("other", remove=["note", "system", "absent"]) == ["other"]
    new = {"system": "t", "gpu": "a'100", "version": "2"}
    assert held.rows(METAS) == [("other", {}), ("r1", new | {"date": "2026-01-01 23:00:00"}), ("r2", new)]
    assert held.rows("select system, version, dated_at::date::varchar from run_versions where run = 'r1'") == [
        ("t", "2", "2026-01-01")
    ]
    changes = [
        ("other", "note", "it's", None),
        ("other", "system", "s", None),
        ("r1", "date", None, "2026-01-01 23:00:00"),
    ]
    for run in ("r1", "r2"):
        changes += [(run, "gpu", None, "a'100"), (run, "note", "it's", None), (run, "system", "s", "t")]
        changes += [(run, "version", None, "2")]
    assert held.rows(HISTORY) == sorted(("run", *change, __version__) for change in changes)
    held.drop_runs("*")
    assert held.rows("select count(*) from meta_changes") == [(0,)]


def test_judgments_are_annotated_too(held: Warehouse) -> None:
    assert held.annotate("q", qrels=True, collection="c", cluster="web") == ["q"]
    assert held.rows("select meta from qrels") == [({"collection": "c", "cluster": "web"},)]
    assert held.rows(HISTORY)[0] == ("qrels", "q", "cluster", None, "web", __version__)


def test_all_are_changed_or_none(held: Warehouse) -> None:
    with pytest.raises(UsageError, match='no run is called "absent"'):
        held.annotate(["r1", "absent"], system="t")
    with pytest.raises(UsageError, match="name what is to change"):
        held.annotate("r1")
    with pytest.raises(UsageError, match='"system" has no name or no value'):
        held.annotate("r1", meta={"system": ""})
    with pytest.raises(UsageError, match="expected a date"):
        held.annotate("r1", meta={"date": "xx"})
    assert held.rows(HISTORY) == []


@pytest.mark.long
def test_the_command_changes_or_prints_the_history(demo: Command) -> None:
    assert demo("annotate", "bm25*", "--system", "bm25", "--meta", "k1=0.9").stderr == "2 runs changed\n"
    assert demo("annotate", "bm25", "--remove", "k1").stderr == "1 run changed\n"
    rows = csv_rows(demo("annotate", "bm25", "--format", "csv").stdout)
    assert [(row["key"], row["old_value"], row["new_value"]) for row in rows] == [
        *[("k1", "", "0.9"), ("system", "", "bm25"), ("k1", "0.9", "")]
    ]
    assert demo("annotate", "sample", "--qrels", "--cluster", "demo").stderr == "1 judgment set changed\n"
    assert "k1 is to be kept and to be removed" in demo("annotate", "bm25", "--meta", "k1=1", "--remove", "k1").stderr
    assert demo("check", "--quick").returncode == 0
