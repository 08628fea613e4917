"""What holds for any input of readers, names, headers and users' SQL: seeds of the fuzzer and random input."""

import re
import string

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from evalsql import EvalsqlError
from evalsql.catalog.measure_names import parse_measures
from evalsql.catalog.relations import read_catalog
from evalsql.catalog.sql_text import in_schemas
from tests.fuzz import __main__ as fuzz
from tests.fuzz.targets import TARGETS, judged_warehouse, seeds, tried
from tests.long_cases import few_of
from tests.oracles.brute_force import ranking

QUICK = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
SLOW = settings(QUICK, max_examples=10, phases=(Phase.explicit, Phase.generate))
WORD = st.text(
    st.characters(blacklist_categories=("Cs", "Cc", "Z"), blacklist_characters="\ufeff"), min_size=1, max_size=12
)
TOPIC = WORD.filter(lambda word: not word.startswith("#"))  # such a line is a comment
FLOATS = st.floats(allow_nan=False, allow_infinity=False, width=32)


@pytest.mark.long
def test_seeds_of_the_fuzzer_show_no_fault_and_it_tries_every_target(capsys: pytest.CaptureFixture[str]) -> None:
    """What the fuzzer finds hangs on the machine's speed, so that only its targets are looked at here."""
    for target in TARGETS:
        assert seeds(target)
        for data in seeds(target):
            tried(target, data)
    fuzz.main(["0", "--seed", "1"])
    tried_ones = re.findall(r"^(\w+): [1-9]\d* inputs$", capsys.readouterr().out, re.MULTILINE)
    assert tried_ones == list(TARGETS)


@pytest.mark.parametrize("target", few_of(["run", "qrels", "name", "header"], 2))
@QUICK
@given(data=st.data())
def test_any_bytes_are_taken_or_refused_in_words(target: str, data: st.DataObject) -> None:
    parts = st.one_of(st.sampled_from(seeds(target)), st.binary(max_size=40), st.sampled_from(fuzz.PIECES))
    tried(target, b"".join(data.draw(st.lists(parts, max_size=6))))


@pytest.mark.parametrize("target", few_of(["body", "statement", "load"], 1))
@SLOW
@given(data=st.data())
def test_any_file_and_sql_is_taken_or_refused_in_words(target: str, data: st.DataObject) -> None:
    text = st.text(max_size=30).map(lambda text: text.encode("utf-8", "replace"))
    parts = st.one_of(st.sampled_from(seeds(target)), text)
    tried(target, b"".join(data.draw(st.lists(parts, max_size=4))))


@SLOW
@given(run=st.dictionaries(TOPIC, st.dictionaries(WORD, FLOATS, min_size=1, max_size=8), min_size=1, max_size=4))
def test_a_run_that_is_written_and_loaded_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, run: dict[str, dict[str, float]]
) -> None:
    path = tmp_path_factory.mktemp("run") / "any.run"
    rows = [(topic, document, score) for topic, scores in run.items() for document, score in scores.items()]
    path.write_text("".join(f"{topic} Q0 {document} 1 {score!r} t\n" for topic, document, score in rows), "utf-8")
    warehouse = judged_warehouse()
    warehouse.load_runs(path, name="any")
    try:
        held = warehouse.rows("select topic, document from rankings where run = 'any' order by topic, rank")
        expected = [(topic, document) for topic in sorted(run, key=str.encode) for document in ranking(run[topic])]
        assert held == expected
    finally:
        warehouse.drop_runs("any")


@QUICK
@given(
    name=st.sampled_from([relation.header.measure for relation in read_catalog().measures]),
    cutoff=st.none() | st.integers(1, 10**6),
    spaces=st.text(" \t", max_size=2),
)
def test_a_name_in_any_case_means_the_same_measure(name: str, cutoff: int | None, spaces: str) -> None:
    written = name if cutoff is None else f"{name}@{cutoff}"
    try:
        (measure,) = parse_measures([written], read_catalog())
    except EvalsqlError:
        return
    for other in (written.upper(), written.lower(), f"{spaces}{written}{spaces}", measure.name):
        assert parse_measures([other], read_catalog()) == [measure]


@QUICK
@given(
    hidden=st.text(string.ascii_letters + " .,();", max_size=20),
    kind=st.sampled_from(["'{}'", '"{}"', "/* {} */", "-- {}\n", "$${}$$"]),
)
def test_what_is_quoted_or_a_comment_stays_as_it_is(hidden: str, kind: str) -> None:
    quoted = kind.format(f"from ap {hidden} join ap")
    found = in_schemas(f"select {quoted} as x from ap", {"ap": "steps"})
    assert found == f"select {quoted} as x from steps.ap"
