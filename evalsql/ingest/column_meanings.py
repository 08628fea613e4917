"""Which columns and fields are topics, documents, scores and grades, in tables, objects and search engines' answers."""

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from evalsql.errors import UsageError
from evalsql.phrases import read_cells

EVALUES = ("evalue", "e-value", "e_value", "expect", "expected_value")
ENDS = ("start", "end")
_FOLDER = Path(__file__).parent
_COLUMNS = read_cells(_FOLDER / "columns.tsv")
KEYS: Mapping[str, Sequence[str]] = {meaning: keys.split() for meaning, _, keys, _ in _COLUMNS}
# Column names by meaning: keys before words, for tables may hold texts as well.
COLUMNS: Mapping[str, Sequence[str]] = {meaning: f"{keys} {words}".split() for meaning, _, keys, words in _COLUMNS}
NAMES, WHOLE = ([meaning for meaning, kind, *_ in _COLUMNS if kind == wanted] for wanted in ("name", "whole"))
# What a table holds, by kind: first what it must have, then what it may have.
MEANINGS: Mapping[str, tuple[Sequence[str], Sequence[str]]] = {
    kind: (required.split(), optional.split()) for kind, required, optional in read_cells(_FOLDER / "kinds.tsv")
}


def column_names(of: str) -> dict[str, list[str]]:
    """What files and records of another kind call their columns, by meaning; see ``other_columns.tsv``."""
    return {meaning: names.split() for kind, meaning, names in read_cells(_FOLDER / "other_columns.tsv") if kind == of}


_ALONE = ("topic", "document", "grade")  # meanings of which a second column may contradict the first
# What these hold beside another column of the meaning: the score of a run, a category, words.
_OFTEN_ELSE = {"score", "subject", "target", "query", "query_text", "document", "doc"}
IDS = ("id", "_id", "id_", "uuid", "objectID")
_NO_LOSS = {*_OFTEN_ELSE, *column_names("rows")["no loss"], ""}
_RIVAL = re.compile(rf"({'|'.join(_ALONE)}) .* or ")
PLACES = ("topic", "document", "nugget")  # by which messages tell a row without a line
OF_ANSWERS = ("nuggets", "assignments")  # kinds whose records may hold a list of nuggets
LISTED = "nuggets"  # where they have it
Given = Mapping[str, str] | None


def known(names: Iterable[object], kind: str, given: Given = None) -> dict[str, str]:
    """The columns among ``names`` by meaning: those that the user named, and others that are known by their names."""
    texts = [name for name in names if isinstance(name, str)]
    named = {meaning: name for meaning, name in (given or {}).items() if name in texts}
    folded = {_folded(name): name for name in reversed(texts) if name not in named.values()}
    known_names = {meaning: [name for name in COLUMNS[meaning] if name in folded] for meaning in all_meanings(kind)}
    return {meaning: folded[found[0]] for meaning, found in known_names.items() if found} | named


def nugget_rows(record: Any, kind: str) -> list[dict[str, Any]]:
    """A row by meaning for each nugget of a record, as nuggetizer writes them; none where it has no list of them."""
    listed = record.get(LISTED) if isinstance(record, Mapping) else None
    if not isinstance(listed, list) or not all(isinstance(nugget, Mapping) for nugget in listed) or "docid" in record:
        return []
    own = {meaning: record[name] for meaning, name in known(record, kind).items() if meaning in ("topic", "run")}
    return [own | {meaning: nugget[name] for meaning, name in known(nugget, kind).items()} for nugget in listed]


def all_meanings(kind: str) -> Sequence[str]:
    required, optional = MEANINGS[kind]
    return *required, *optional


def missing(found: Container[str], kind: str) -> list[str]:
    """The meanings that a table must have and are not among those found. A run has a score, or else a rank."""
    required = MEANINGS[kind][0]
    return [each for each in required if each not in found and not (each == "score" and "rank" in found)]


def _folded(name: str) -> str:
    return name.strip().lower().replace(" ", "_")


def holds_evalues(columns: Mapping[str, str]) -> bool:
    """Whether the column of scores, among those by meaning, is called as E-values are: the lowest is best."""
    return _folded(columns.get("score", "")) in EVALUES


def how_to_name(kind: str, *meanings: str) -> str:
    command, python = ",".join(f"{each}=NAME" for each in meanings), dict.fromkeys(meanings, "NAME")
    says = f"--columns {command}, in Python columns={python}, says which {'is which' if meanings[1:] else 'it is'}"
    beside_runs = (
        "" if kind == "run" or "topic" in kind else " (of judgments beside runs --qrels-columns, qrels_columns=)"
    )
    return says + beside_runs


def how_to_take(kind: str) -> str:
    """How to have a column read that was left out: give it a meaning."""
    meanings = ", ".join(all_meanings(kind))
    beside_runs = " (of judgments beside runs --qrels-columns, qrels_columns=)"
    if kind == "run":
        beside_runs = "; evalsql load costs FILE --run NAME --cost COLUMN takes a number of each topic"
    return f"--columns MEANING=NAME, in Python columns={{meaning: name}}, takes a column as {meanings}{beside_runs}"


def spans_form(names: Sequence[str], kind: str) -> str:
    """The option for judgments with a start and an end that are being loaded as grades of documents."""
    are_spans = kind == "grades" and {*ENDS} <= known(names, "spans").keys()
    return "; --form spans takes start and end, for judgments of spans of documents" if are_spans else ""


def find(names: Sequence[str], kind: str, given: Given = None) -> dict[str, str]:
    """The column for each meaning that has one; raises UsageError where one that is needed is missing or not unique."""
    check_given(given, kind)
    taken = given or {}
    for meaning, name in taken.items():
        if name not in names:
            raise UsageError(f"there is no column {name} for the {meaning}; found {', '.join(names)}")
    found = unique(names, kind, given)
    if lacking := missing(found, kind):
        pairs = spans_form(names, kind)
        pairs = pairs or ("; --form pairs takes every row for relevant" if lacking == ["grade"] else "")
        sought = "; nor ".join(f"for the {each}: expected one of {', '.join(COLUMNS[each])}" for each in lacking)
        there = f"found {', '.join(names)}; {how_to_name(kind, *lacking)}{pairs}"
        raise UsageError(f"there is no column {sought}; {there}")
    return found | _rivals(names, found, taken)


def unique(names: Sequence[str], kind: str, given: Given = None) -> dict[str, str]:
    """The columns among ``names`` by meaning, as ``known``; raises UsageError where several could be one of them."""
    found = known(names, kind, given)
    if kind == "run" and not {*ENDS} <= found.keys():  # one end alone is of no span
        found = {meaning: name for meaning, name in found.items() if meaning not in ENDS}
    for meaning, column in found.items():
        # A place may stand there in several units, as in lines and in bytes.
        same = COLUMNS[meaning] if meaning in ENDS else (_folded(column),)
        alike = [name for name in names if name == column or (meaning not in (given or {}) and _folded(name) in same)]
        if len(set(alike)) > 1:
            listed = f"{len(alike)} columns could be the {meaning}: {', '.join(alike)}"
            raise UsageError(f"{listed}; {how_to_name(kind, meaning)}")
        if len(alike) > 1:
            raise UsageError(f"{len(alike)} columns are called {column}")
    return found


def _rivals(names: Sequence[str], found: Mapping[str, str], taken: Mapping[str, str]) -> dict[str, str]:
    """Further columns that could have the meaning of one that was found, by texts such as ``topic qid or query_id``."""
    rivals = {name: name for name in names if _RIVAL.match(name)}  # of rows that went through here before
    for meaning in [each for each in _ALONE if each in found and each not in taken]:
        # PyTerrier has a number of its own as docid.
        own = {"docid"} if _folded(found[meaning]) == "docno" else set[str]()
        known_names = {*COLUMNS[meaning]} - _OFTEN_ELSE - own
        others = [name for name in names if _folded(name) in known_names and name not in found.values()]
        rivals |= {f"{meaning} {found[meaning]} or {name}": name for name in others}
    return rivals | id_beside_words("document", names, found, taken)


def id_beside_words(
    meaning: str, names: Iterable[object], found: Mapping[str, Any], taken: Mapping[str, str]
) -> dict[str, Any]:
    """An id beside a column that may hold words: a further column that could have that column's meaning."""
    is_word = meaning not in taken and str(found.get(meaning)).lower() in _OFTEN_ELSE
    return {f"{meaning} {found[meaning]} or {name}": name for name in names if is_word and name in IDS}


def is_id(rival: str) -> bool:
    """Whether a further column is an id, which has the meaning only if the column beside it holds words."""
    return rival.rpartition(" or ")[2] in IDS


def left_out(names: Iterable[object], found: Mapping[str, str]) -> list[str]:
    """The columns among ``names`` that are not read, although they may matter; in tables of E-values none does."""
    if holds_evalues(found):
        return []
    # Of two that could be the topic, the document or the grade it is told elsewhere which one is read.
    known_names = {*_NO_LOSS, *chain(*(COLUMNS[meaning] for meaning in _ALONE if meaning in found))}
    read = {*found.values()}
    return [str(name) for name in names if name not in read and _folded(str(name)) not in known_names]


def check_given(given: Given, kind: str) -> None:
    """Raise UsageError for a meaning that tables of the kind do not have, and for a column named twice."""
    allowed = all_meanings(kind)
    for meaning in given or ():
        if meaning not in allowed:
            raise UsageError(f"columns are named for {', '.join(allowed)}, and {meaning} is none of them")
    if given and len(set(given.values())) < len(given):
        raise UsageError("one column cannot have two meanings")


def parse(text: str | None) -> dict[str, str] | None:
    """Columns as the command line takes them: ``topic=qid,document=docno``."""
    if text is None:
        return None
    found: dict[str, str] = {}
    for part in text.split(","):
        meaning, sign, name = part.partition("=")
        if not sign or not meaning.strip() or not name:
            raise UsageError(f'columns are named as in topic=qid,document=docno,score=score, found "{part}"')
        if meaning.strip() in found:
            raise UsageError(f"columns name the {meaning.strip()} twice")
        found[meaning.strip()] = name
    return found


RANKINGS = column_names("records")["ranking"]
# Of judgments; ratings as Quepid, Elasticsearch and OpenSearch have them. What was retrieved judges nothing.
JUDGED = (
    *column_names("records")["judged"],
    *(name for name in RANKINGS if not name.startswith("retrieved")),
    "ratings",
)
# Elasticsearch and OpenSearch, Solr, Qdrant, Pinecone.
_ANSWERS = (
    *(("hits", "hits"), ("response", "hits", "hits"), ("response", "docs")),
    *(("result", "points"), ("result", "hits")),
)
_PARTS = ("responses", "output", "answer")  # of an answer: CAsT and iKAT, KILT, RAG
_PROVENANCE = ("passage_provenance", "provenance")
_DOCUMENT = ("document", "doc")
_INNER = ("node", "hit", *_DOCUMENT, "metadata", "fields")  # what holds a document beside its score
_MOST_BLANKS = 20  # in the names of documents, on average; titles are names too


def answer(record: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """A record; if it is a search engine's answer, its hits, which stand deeper in it, are its documents."""
    readers = (_search_hits, _vespa_hits, _chroma_hits, _topics_of_scores, _cited)
    return next((found for read in readers if (found := read(record)) is not None), record)


def _search_hits(record: Mapping[Any, Any]) -> Mapping[Any, Any] | None:
    for first, *path in _ANSWERS:
        found = record.get(first)
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        if isinstance(found, list):
            return _with_hits(record, first, found)
    return None


def _vespa_hits(record: Mapping[Any, Any]) -> Mapping[Any, Any] | None:
    root = record.get("root")
    children: Any = root.get("children", []) if isinstance(root, Mapping) and "relevance" in root else None
    if children != [] and not _are(Mapping, children):  # without a hit there are none
        return None
    if any("children" in child for child in children):
        raise UsageError("an answer of Vespa with groups is no ranking; ask for it without grouping")
    hits = [{"score" if name == "relevance" else name: child[name] for name in child} for child in children]
    return _with_hits(record, "root", hits)


def _chroma_hits(record: Mapping[Any, Any]) -> Mapping[Any, Any] | None:
    ids = record.get("ids")
    if not isinstance(ids, list) or not _are(list, ids):  # a list for each query
        return None
    if len(ids) > 1:
        raise UsageError(f"ids has {len(ids)} lists, of as many queries; give each to its topic, as {{topic: ids}}")
    return {**record, "ids": ids[0]}


def _topics_of_scores(record: Mapping[Any, Any]) -> Mapping[Any, Any] | None:
    """{topic: {document: score}}, as FlagEmbedding and rank_eval write it beside the figures of an evaluation."""
    places = (("search_results", "eval_name"), ("details", "metric_score"))
    found = (record.get(place) for place, beside in places if beside in record)
    return next((each for each in found if isinstance(each, Mapping)), None)


def _cited(record: Mapping[Any, Any]) -> Mapping[Any, Any] | None:
    """The documents that the parts of a written answer rest on, in the order of the parts."""
    for name in (each for each in _PARTS if _are(Mapping, record.get(each))):
        parts = sorted(record[name], key=lambda part: part["rank"] if isinstance(part.get("rank"), int) else 0)
        if "references" in record and any("citations" in part for part in parts):
            about = record["metadata"] if isinstance(record.get("metadata"), Mapping) else {}
            others = {each: value for each, value in record.items() if each not in ("metadata", "references")}
            return _with_hits({**about, **others}, name, record["references"])
        cited = [part[each] for part in parts for each in _PROVENANCE if isinstance(part.get(each), list)]
        if cited:
            return _with_hits(record, name, [*chain(*cited)])
    return None


def _with_hits(record: Mapping[Any, Any], place: str, hits: Any) -> Mapping[Any, Any]:
    return {name: value for name, value in record.items() if name != place} | {"hits": hits}


def _are(kind: type, values: object) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(each, kind) for each in values)


def flat(hit: Mapping[Any, Any], wanted: str | None, names: Iterable[str]) -> Mapping[Any, Any]:
    """A hit, with the fields of an object in it if that has the hit's name: ``wanted``, an id or one of ``names``."""
    plain = {name: value for name, value in hit.items() if not (name in _DOCUMENT and isinstance(value, Mapping))}
    known = [name for name, value in plain.items() if value is not None and not isinstance(value, Mapping)]
    if wanted in plain or (not wanted and any(name in IDS or str(name).lower() in names for name in known)):
        return plain
    inner = [name for name in _INNER if isinstance(hit.get(name), Mapping) and (not wanted or wanted in hit[name])]
    if not inner:
        return plain
    return {**hit[inner[0]], **{name: value for name, value in plain.items() if name != inner[0] and value is not None}}


def ranking_fields(record: Mapping[Any, Any], kind: str, given: Given = None) -> dict[str, Any]:
    """The fields of a record that holds one ranking, by meaning: the topic, its documents and their scores."""
    folded = {str(name).lower(): name for name in record}
    by_name, named = known(record, kind), given or {}
    rankings = RANKINGS if kind == "run" else JUDGED
    ranking = next((folded[name] for name in rankings if name in folded), by_name.get("document"))
    by_id = next((name for name in IDS if name in record), None) if ranking != by_name.get("document") else None
    found = {
        "topic": named.get("topic", by_name.get("topic", by_id)),
        "document": named["document"] if named.get("document") in record else ranking,
        "score": next((folded[name] for name in ("scores", "score") if name in folded), None),
        "call": by_name.get("call"),
    }
    return {meaning: name for meaning, name in found.items() if name is not None and name in record}


def refuse_texts(topic: object, documents: Sequence[Any]) -> None:
    """Raise UsageError where the names of a topic's documents are as long as passages are."""
    texts = [each for each in documents if isinstance(each, str)]
    if sum(each.count(" ") for each in texts) > _MOST_BLANKS * len(documents):
        raise UsageError(f"topic {topic}: its documents are texts, and need names; the first begins: {texts[0][:40]}")


def fields_in(data: object) -> set[Any]:
    """The names of all fields of objects, at whatever depth."""
    found, rest = set[Any](), [data]
    for each in rest:  # which grows meanwhile
        if isinstance(each, Mapping):
            found.update(each)
            rest += each.values()
        elif isinstance(each, list):
            rest += each
    return found


_MSEARCH = {"hits", "status"}  # what is in each answer of several searches of Elasticsearch and OpenSearch
_COMPONENT = re.compile(r"\w*(retriever|ranker|joiner)\w*", re.IGNORECASE)  # of a pipeline of Haystack


def refuse_unreadable(data: Mapping[Any, Any], kind: str) -> None:
    if data.keys() == {"columns", "index", "data"}:
        raise UsageError('is a table as DataFrame.to_json(orient="split") writes it; orient="records" writes rows')
    first: Mapping[Any, Any] = {}
    if all(isinstance(inner, Mapping) for inner in data.values()):
        first = next(iter(data.values()), {})
    # Tables by column and by row look like {topic: {document: score}}.
    if first and not missing(known(data, kind), kind):
        raise UsageError(
            f"is a table column by column ({', '.join(map(str, data))}), as DataFrame.to_json writes it by default; "
            'orient="records" writes it row by row'
        )
    is_row = not any(isinstance(value, Mapping | list) for value in first.values())
    is_row = is_row and not missing(known(first, kind), kind)
    if is_row and all(inner.keys() == first.keys() for inner in data.values()):
        raise UsageError(
            f"is a table row by row, each under its index and with {', '.join(map(str, first))}; "
            'orient="records" of DataFrame.to_json writes it without the index'
        )
    if isinstance(first.get("documents"), list) and all(_COMPONENT.fullmatch(str(name)) for name in data):
        name = next(iter(data))
        raise UsageError(f"{name} is a component of Haystack and no topic; write {{topic: answer}}, of one component")
    answers = data.get("responses")
    if isinstance(answers, list) and answers and all(isinstance(a, Mapping) and {*a} >= _MSEARCH for a in answers):
        raise UsageError("answers of _msearch say no topics; write them as {topic: answer, ...}, which is read")
