"""Where answers of search engines, and of programs that cite what they found, have their hits and the hits' names."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

from evalsql.errors import UsageError
from evalsql.ingest.column_meanings import IDS, Given, column_names, known

RANKINGS = column_names("records")["ranking"]
JUDGED = (*RANKINGS, "ratings")  # of judgments, as Quepid, Elasticsearch and OpenSearch have them
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
    """A record with the hits of an answer, which stand deeper in it, as its documents."""
    for first, *path in _ANSWERS:
        found = record.get(first)
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        if isinstance(found, list):
            return _with_hits(record, first, found)
    root, ids, of_all = (record.get(name) for name in ("root", "ids", "search_results"))
    children: Any = root.get("children", []) if isinstance(root, Mapping) and "relevance" in root else None
    if children == [] or _are(Mapping, children):  # of Vespa; without a hit there are none
        if any("children" in child for child in children):
            raise UsageError("an answer of Vespa with groups is no ranking; ask for it without grouping")
        hits = [{"score" if name == "relevance" else name: child[name] for name in child} for child in children]
        return _with_hits(record, "root", hits)
    if isinstance(ids, list) and _are(list, ids):  # of Chroma, a list for each query
        if len(ids) > 1:
            raise UsageError(f"ids has {len(ids)} lists, of as many queries; give each to its topic, as {{topic: ids}}")
        return {**record, "ids": ids[0]}
    if isinstance(of_all, Mapping) and "eval_name" in record:  # {topic: {document: score}} of FlagEmbedding
        return of_all
    for name in (each for each in _PARTS if _are(Mapping, record.get(each))):
        parts = sorted(record[name], key=lambda part: part["rank"] if isinstance(part.get("rank"), int) else 0)
        if "references" in record and any("citations" in part for part in parts):
            about = record["metadata"] if isinstance(record.get("metadata"), Mapping) else {}
            others = {each: value for each, value in record.items() if each not in ("metadata", "references")}
            return _with_hits({**about, **others}, name, record["references"])
        cited = [part[each] for part in parts for each in _PROVENANCE if isinstance(part.get(each), list)]
        if cited:
            return _with_hits(record, name, [*chain(*cited)])
    return record


def _with_hits(record: Mapping[Any, Any], place: str, hits: Any) -> Mapping[Any, Any]:
    return {name: value for name, value in record.items() if name != place} | {"hits": hits}


def _are(kind: type, values: object) -> bool:
    return isinstance(values, list) and bool(values) and all(isinstance(each, kind) for each in values)


def flat(hit: Mapping[Any, Any], wanted: str | None, names: Iterable[str]) -> Mapping[Any, Any]:
    """A hit, and what an object in it says if the hit's name, ``wanted`` or an id or one of ``names``, is in there."""
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
    for each in rest:
        found.update(each if isinstance(each, Mapping) else ())
        rest += each.values() if isinstance(each, Mapping) else each if isinstance(each, list) else ()
    return found
