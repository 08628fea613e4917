"""Texts and groups of topics: every format gives the same, what is wrong is told, and figures split by groups."""

import io
import json
from collections import defaultdict
from pathlib import Path
from statistics import fmean, geometric_mean

import pytest

import evalsql
from evalsql import InputError, InputWarning, UsageError, Warehouse
from evalsql.evaluation.notices import audits, findings
from tests.conftest import Command, assert_refused, csv_rows, new_file, write
from tests.ingest.topic_variants import TEXTS, TOPICS_FILES, TOPICS_FRAMES


@pytest.fixture
def judged(empty: Warehouse) -> Warehouse:
    empty.load_qrels({"1": {"a": 1}, "2": {"b": 2, "c": 0}, "3": {"d": 1}}, "weather")
    return empty


def facts(warehouse: Warehouse) -> list[tuple[object, ...]]:
    """Topic, key and value of all that is known of topics."""
    return warehouse.rows("select topic, key, value from topic_meta join topics using (topic_id) order by all")


def test_every_format_gives_the_same_texts(judged: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = "select topic, text from topic_texts"
    for name, content in TOPICS_FILES.items():
        path = write(tmp_path / "given", content)
        loaded = judged.load_topics(path, replace=True)
        assert (loaded.qrels, loaded.num_topics, loaded.keys["text"], loaded.unjudged) == ("weather", 3, 3, 0), name
        assert dict(judged.rows(texts)) == TEXTS, name
        if name.startswith("TREC topics"):
            told = judged.rows("select description, narrative from topic_texts order by topic")
            assert told == [("Where does it come from?", "Relevant: clouds."), (None, None), (None, None)], name
        assert judged.rows("select file, num_rows from files where kind = 'topics.text'") == [(str(path), 3)]
        judged.execute("delete from topic_meta")
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
        judged.load_topics("-", replace=True)
        assert dict(judged.rows(texts)) == TEXTS, f"{name} as standard input"
        judged.execute("delete from topic_meta")
    for kind, make in TOPICS_FRAMES.items():
        judged.load_topics(make(), replace=True)
        assert dict(judged.rows(texts)) == TEXTS, kind
        judged.execute("delete from topic_meta")


def test_other_columns_are_groups(judged: Warehouse, tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.csv", "topic,title,description,language,hard\n1,a b c,d,en,true\n2,e,,de,\n3,f g,,en,no\n"
    )
    loaded = judged.load_topics(path)
    assert loaded.keys == {"text": 3, "description": 1, "language": 3, "hard": 2}
    groups = judged.rows("select key, list(topic || ' ' || topic_group order by topic) from topic_groups group by key")
    assert dict(groups) == {
        "hard": ["1 true", "3 no"],
        "language": ["1 en", "2 de", "3 en"],
        "length": ["1 3", "2 1", "3 2"],
    }
    held = judged.rows("select num_texts, topic_groups from holdings where kind = 'qrels'")
    assert held == [(3, "hard,language")]


def test_what_beir_and_xml_say_beside_the_text_is_a_group(judged: Warehouse, tmp_path: Path) -> None:
    beir = {"_id": "1", "text": "x", "metadata": {"year": 2020, "tags": ["a"], "open": True, "none": None}}
    with pytest.warns(InputWarning, match="left out, since a topic has several values of it or a list: tags"):
        judged.load_topics(write(tmp_path / "q.jsonl", json.dumps(beir) + "\n"))
    assert facts(judged) == [("1", "open", "true"), ("1", "text", "x"), ("1", "year", "2020")]
    xml = '<t><topic number="2" type="nav"><query>q</query><subtopic>a</subtopic><subtopic>b</subtopic></topic></t>'
    with pytest.warns(InputWarning, match="several values of it or a list: subtopic"):
        judged.load_topics(write(tmp_path / "q.xml", xml), replace=True)
    assert ("2", "type", "nav") in facts(judged)


def test_topics_without_judgments_are_told(judged: Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "t.tsv", "1\ta\n7\tb\n8\tc\n")
    with pytest.warns(InputWarning, match="t.tsv: 2 topics without judgments left out: 7, 8"):
        assert judged.load_topics(path).unjudged == 2
    assert facts(judged) == [("1", "text", "a")]
    told = "none of its topics is judged; topics of the judgments 1, 2, 3; of the file 0"
    with pytest.raises(InputError, match=told):
        judged.load_topics(write(tmp_path / "none.tsv", "0\ta\n"), replace=True)
    assert facts(judged) == [("1", "text", "a")]


def test_leading_zeros_of_numbers_are_told(judged: Warehouse, tmp_path: Path) -> None:
    """As in topics 51 to 100 of TREC, whose judgments have none."""
    path = write(tmp_path / "t", "<top>\n<num> Number: 001\n<title>a\n</top>\n<top>\n<num>0\n<title>b\n</top>\n")
    with pytest.warns(InputWarning) as told:
        judged.load_topics(path)
    assert [str(each.message).partition("/t: ")[2] for each in told] == [
        "1 topic without judgments left out: 0",
        "1 topic judged under the number without leading zeros: 001",
    ]
    assert facts(judged) == [("1", "text", "a")]


def test_texts_and_groups_take_the_place_of_others_only_on_request(judged: Warehouse) -> None:
    judged.load_topics({"1": {"text": "a", "language": "en"}, "2": {"text": "b"}})
    with pytest.raises(UsageError, match="topics of weather already have: text; --replace"):
        judged.load_topics({"3": "c"})
    judged.load_topics({"3": "c"}, replace=True)
    judged.load_topics({"2": {"hard": "yes"}})
    assert facts(judged) == [("1", "language", "en"), ("2", "hard", "yes"), ("3", "text", "c")]
    kinds = judged.rows("select kind, num_rows from files where kind like 'topics.%' order by kind")
    assert kinds == [("topics.hard", 1), ("topics.language", 1), ("topics.text", 1)]


def test_whose_topics_they_are_is_asked_where_there_are_several(judged: Warehouse) -> None:
    judged.load_qrels({"1": {"a": 1}}, "other")
    told = r"several judgment sets, say whose topics these are \(--qrels\): other, weather"
    with pytest.raises(UsageError, match=told):
        judged.load_topics({"1": "a"})
    judged.load_topics({"1": "another"}, qrels="other")
    judged.load_topics({"1": "a"}, qrels="weather")
    texts = judged.rows("select qrels, topic, text from topic_texts order by all")
    assert texts == [("other", "1", "another"), ("weather", "1", "a")]


def test_columns_are_named(judged: Warehouse, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "nummer,frage,sprache\n1,wie?,de\n2,was?,de\n")
    judged.load_topics(path, columns={"topic": "nummer", "text": "frage"})
    of_both = {"1": "wie?", "2": "was?"}
    assert facts(judged) == [
        (topic, *fact) for topic, text in of_both.items() for fact in (("sprache", "de"), ("text", text))
    ]


def test_a_list_may_have_one_topic(judged: Warehouse, tmp_path: Path) -> None:
    judged.load_topics(write(tmp_path / "t.json", '[{"qid": "1", "query": "what is rain"}]'))
    assert facts(judged) == [("1", "text", "what is rain")]


# Figures by group


@pytest.fixture
def grouped(tmp_path: Path, sample_file: Path) -> Warehouse:
    warehouse = evalsql.open(new_file(tmp_path, sample_file))
    topics = [topic for (topic,) in warehouse.rows("select topic from weighted_topics order by topic")]
    kinds = {topic: {"kind": ("short", "long")[at % 2]} for at, topic in enumerate(topics) if at % 5}
    warehouse.load_topics(kinds)
    warehouse.load_weights({topic: 1.0 + at for at, topic in enumerate(topics[:9])}, "sample")
    return warehouse


def test_means_of_groups_are_those_of_a_plain_loop(grouped: Warehouse) -> None:
    measures = ["AP", "NumRet", "GMAP", "TAP@5"]
    kinds = dict(grouped.rows("select topic, topic_group from topic_groups where key = 'kind'"))
    weights = dict(grouped.rows("select topic, weight from weighted_topics"))
    assert len(set(weights.values())) > 5
    values = defaultdict(list)
    for _, run, topic, measure, value in grouped.evaluate(measures, per_topic=True).fetchall():
        values[kinds.get(topic), run, measure].append((topic, value))
    with grouped:
        table = grouped.evaluate(measures, by="kind")
        assert table.columns == ["qrels", "group", "run", "topics", *measures]
        rows = table.fetchall()
    assert [row[1] for row in rows] == ["long"] * 8 + ["short"] * 8 + [None] * 8
    assert {(row[1], row[3]) for row in rows} == {("long", 16), ("short", 16), (None, 8)}
    for _, group, run, _, ap, num_ret, gmap, tap in rows:
        of = {measure: values[group, run, measure] for measure in measures}
        assert ap == pytest.approx(fmean(value for _, value in of["AP"]), abs=1e-12)
        assert num_ret == sum(value for _, value in of["NumRet"])
        floored = [max(value, 0.00001) for _, value in of["GMAP"]]
        assert gmap == pytest.approx(geometric_mean(floored), abs=1e-12)
        total = sum(weights[topic] for topic, _ in of["TAP@5"])
        assert tap == pytest.approx(sum(weights[topic] * value for topic, value in of["TAP@5"]) / total, abs=1e-12)
    for group in ("long", "short", None):
        of_group = [row[4] for row in rows if row[1] == group]
        assert of_group == sorted(of_group, reverse=True)


def test_a_group_of_all_topics_has_the_means_of_the_leaderboard(grouped: Warehouse) -> None:
    with grouped:
        grouped.execute("update topic_meta set value = 'all'")
        grouped.execute("""
            insert into topic_meta select qrels_id, topic_id, 'kind', 'all' from (
                select distinct qrels_id, topic_id from judged_documents
            ) as judged where topic_id not in (select topic_id from topic_meta)
        """)
        query = "select qrels, run, measure, value, num_topics from"
        by_group = grouped.rows(f"{query} group_means(group_key := 'kind') order by all")
        assert by_group == grouped.rows(f"{query} summary order by all")
        assert len(by_group) > 100


@pytest.mark.long
def test_leaderboard_by_group(grouped: Warehouse, command: Command) -> None:
    path = grouped.path
    grouped.close()
    board = command("leaderboard", "bm25", "dense", "-m", "AP", "--by", "kind", "--format", "csv", "--db", path)
    assert board.returncode == 0, board.stderr
    found = [(row["group"], row["run"], row["topics"]) for row in csv_rows(board.stdout)]
    groups = (("long", "16"), ("short", "16"), ("", "8"))
    assert found == [(group, run, count) for group, count in groups for run in ("dense", "bm25")]
    assert "sample: 8 topics without kind, in the rows that name no group" in board.stderr
    refused = command("leaderboard", "--by", "langauge", "--db", path)
    assert_refused(refused, 'no topic has a group "langauge"; there are: kind')


# Where texts are shown


@pytest.mark.long
def test_texts_are_shown(command: Command, tmp_path: Path, sample_file: Path) -> None:
    path = new_file(tmp_path, sample_file)
    write(tmp_path / "t.tsv", "T01\twhy <b>rain</b>\nT02\tsnow\nT99\tnot judged\n")
    loaded = command("load", "topics", "t.tsv", "--db", path)
    assert loaded.returncode == 0
    assert "t.tsv: 1 topic without judgments left out: T99" in loaded.stderr
    assert "loaded 2 topics of the 40 of sample: text of 2" in loaded.stderr
    assert "nothing was loaded of 38 topics: T03, T04, T05, T06, T07, ..." in loaded.stderr
    assert "the topic asks: why <b>rain</b>" in command("explain", "bm25", "T01", "--db", path).stderr
    assert "the topic asks" not in command("explain", "bm25", "T03", "--db", path).stderr
    rows = command("topics", "bm25", "-m", "AP", "--texts", "--format", "json", "--db", path)
    texts = {row["topic"]: row["text"] for row in json.loads(rows.stdout)}
    assert (len(texts), texts["T01"], texts["T02"], texts["T03"]) == (40, "why <b>rain</b>", "snow", None)
    drawn = command("chart", "topics", "bm25", "-m", "AP", "-o", "c.html", "--db", path)
    assert drawn.returncode == 0, drawn.stderr
    page = (tmp_path / "c.html").read_text()
    assert '"text":"why \\u003cb>rain\\u003c/b>"' in page
    assert '{"field":"text","type":"nominal","title":"text"}' in page


def test_groups_without_a_header_are_named_by_key(command: Command, tmp_path: Path, sample_file: Path) -> None:
    path = new_file(tmp_path, sample_file)
    done = command("load", "groups", "-", "--key", "hardness", "--db", path, stdin="T01 very easy\nT02 hard\n")
    assert done.returncode == 0, done.stderr
    again = command("load", "groups", "-", "--db", path, stdin="topic,title\nT01,news\n")
    assert again.returncode == 0, again.stderr
    asked = "select key, topic, topic_group from topic_groups where key <> 'length' order by all"
    shown = command("sql", asked, "--format", "csv", "--db", path)
    assert shown.stdout == "key,topic,topic_group\nhardness,T01,very easy\nhardness,T02,hard\ntitle,T01,news\n"


@pytest.mark.long
def test_judgments_that_replace_others_have_their_texts_and_groups(judged: Warehouse) -> None:
    judged.load_topics({"1": {"type": "easy"}, "2": {"type": "hard"}})
    judged.load_qrels({"1": {"a": 2}}, "weather", replace=True)
    rows = judged.rows("""
        select qrels, topic, value from topic_meta
        join qrels using (qrels_id) join topics using (topic_id) order by all
    """)
    assert rows == [(name, *fact) for name in ("weather", "weather@1") for fact in (("1", "easy"), ("2", "hard"))]
    assert findings(judged.evaluation, audits(judged.catalog)) == []


def test_a_folder_has_one_file_of_topics(empty: Warehouse, tmp_path: Path) -> None:
    empty.load_qrels({"1": {"a": 1}}, "q")
    write(tmp_path / "corpus.jsonl", '{"_id": "a", "text": "a document"}\n')
    with pytest.raises(
        UsageError, match=r"the folder has no file of topics, such as queries\.jsonl or .*; name one of .*corpus"
    ):
        empty.load_topics(tmp_path)
    write(tmp_path / "queries.jsonl", '{"_id": "1", "text": "what is asked"}\n')
    empty.load_topics(tmp_path)
    assert empty.rows("select topic, text from topic_texts") == [("1", "what is asked")]
    write(tmp_path / "topics.txt", "1\tit\n")
    with pytest.raises(UsageError, match=r"several files of topics; name one of .*queries.jsonl, .*topics.txt"):
        empty.load_topics(tmp_path)
