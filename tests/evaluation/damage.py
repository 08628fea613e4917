"""What can be damaged in a warehouse: by audit the SQL that does it, and all that the audit finds then."""

from collections.abc import Iterator

T05 = """run_id = (select run_id from runs where run = 'bm25')
    and topic_id = (select topic_id from topics where topic = 'T05')"""
FIRST_JUDGED = f"rank = 1 and evaluation_id in (select evaluation_id from evaluations where {T05})"
DOCUMENT = "document_id = (select document_id from documents where document = 'doc-0481')"
PLACE = "run bm25, topic T05"
PAIR = f"{PLACE}, judgments sample"
NAMES = {
    "t05": T05,
    "evaluation": f"(select evaluation_id from evaluations where {T05})",
    "first_judged": FIRST_JUDGED,
    "grade": f"{DOCUMENT} and topic_id = (select topic_id from topics where topic = 'T23')",
    "judged_rank": f"""{DOCUMENT} and evaluation_id = (
        select evaluation_id from evaluations join runs using (run_id) join topics using (topic_id)
        where run = 'bm25' and topic = 'T23')""",
    "place": PLACE,
    "pair": PAIR,
    "sampled": """insert into judgment_samples
        select qrels_id, topic_id, document_id, if(grade < 0, 'b', 'a'), if(grade < 0, 0, 1) from judged_documents""",
    "drawn": "judgments sample, topic T23: document doc-0481",
    "no_qrels": "has rows of judgments #99, which are not in qrels",
    "judgments": "{judgments}",
    "of_run": "kind in ('run', 'costs')",
    "of_set": "kind not in ('run', 'costs')",
    "mending": ": delete from judged_ranks where evaluation_id = 99999",
}
DAMAGE = """
rank_gaps
    update retrieved set rank = rank + 1000 where rank = 7 and {t05}
    > {place}: the ranks are not 1 to 40
    update retrieved set rank = if(rank = 3, 2, 6) where rank in (3, 5) and {t05}
    > {place}: the ranks are not 1 to 40
num_ret_differences
    update run_topics set num_ret = 39 where {t05}
    > {place}: num_ret is 39, the ranking has 40 documents
    delete from run_topics where {t05}
    > {place}: run_topics lacks the topic, the ranking has 40 documents
    delete from retrieved where {t05}
    > {place}: num_ret is 40, the ranking has 0 documents
rank_order
    update retrieved set score = -1e9 where rank = 3 and {t05}
    > {place}: the document at rank 4 is not where the tie rule trec_eval has it
    update retrieved set tied_above = 1 where rank = 2 and {t05}
    > {place}: the document at rank 2 is not where the tie rule trec_eval has it
    delete from retrieved where rank = 9 and {t05}
    > {place}: the document at rank 10 is not where the tie rule trec_eval has it
evaluation_gaps
    delete from evaluations where {t05}
    > {place}: evaluated 0 times with judgments sample, expected once
    insert into evaluations select evaluation_id + 5000, qrels_id, run_id, topic_id from evaluations where {t05}
    > {place}: evaluated 2 times with judgments sample, expected once
    insert into topics values (500, 'T99'); update evaluations set topic_id = 500 where {t05}
    > {place}: evaluated 0 times with judgments sample, expected once
    > run bm25, topic T99: evaluated 1 times with judgments sample, which do not have the topic
    update evaluations set evaluation_id = 1 where {t05}
    > evaluation 1 stands 2 times, among others for run bm25, topic T01
missing_keys
    insert into run_topics values (99, 1, 5)
    > run_topics has rows of run #99, which is not in runs: delete from run_topics where run_id = 99
    insert into call_ranks values (99, 1, 1, null, 1, 0, 1, 0.5)
    > call_ranks has rows of run #99, which is not in runs: delete from call_ranks where run_id = 99
    insert into stored_scores select qrels_id, 77, topic_id, 'AP', 0.5, '', '' from evaluations where {t05}
    > stored_scores has rows of run #77, which is not in runs: delete from stored_scores where run_id = 77
    insert into collection_scores values (99, 'AP', 0.5)
    > collection_scores has rows of run #99, which is not in runs: delete from collection_scores where run_id = 99
    insert into costs values (99, 1, null, 'latency_ms', 3)
    > costs has rows of run #99, which is not in runs: delete from costs where run_id = 99
    insert into meta_changes values ('run', 99, 'cluster', null, 'web', now(), '')
    > meta_changes has rows of run #99, which is not in runs: delete from meta_changes where {of_run} and id = 99
    insert into topic_weights values (99, 1, 0.5)
    > topic_weights has rows of judgments #99, which are not in qrels: delete from topic_weights where qrels_id = 99
    insert into judgment_samples values (99, 1, 1, 'a', 1)
    > judgment_samples {no_qrels}: delete from judgment_samples where qrels_id = 99
    insert into document_texts values (-1, 'a title', null)
    > document_texts has documents that are not in documents, the first #-1
    insert into topic_meta values (99, 1, 'language', 'en')
    > topic_meta has rows of judgments #99, which are not in qrels: delete from topic_meta where qrels_id = 99
    insert into files values ('topics.language', 99, 'x', null, null, 3)
    > files has rows of judgments #99, which are not in qrels: delete from files where {of_set} and id = 99
    insert into topic_meta values (1, 99, 'language', 'en')
    > judgments sample, topic #99: has rows in topic_meta and is not in topics
    update retrieved set topic_id = 99 where {t05}
    > run bm25, topic #99: has rows in retrieved and is not in topics
    update judged_documents set topic_id = 99 where topic_id = 1
    > judgments sample, topic #99: has rows in judged_documents and is not in topics
    update retrieved set document_id = 99999 where rank = 3 and {t05}
    > {place}: retrieved has documents that are not in documents, the first #99999
    update judged_ranks set document_id = 99999 where judged_rank = 3 and evaluation_id in {evaluation}
    > run bm25, judgments sample, topic T05: judged_ranks has documents that are not in documents, the first #99999
    update judged_ranks set evaluation_id = 99999 where evaluation_id = 7
    > judged_ranks has rows of evaluation #99999, which is not in evaluations{mending}
repeated_names
    insert into document_texts values (7, 'a title', null), (7, null, 'a text')
    > document_texts: the key 7 stands 2 times
    insert into documents values (99999, 'doc-0481')
    > documents: the name doc-0481 stands 2 times
    insert into topics values (1, 'T99')
    > topics: the key 1 (T01) stands 2 times
repeated_judgments
    insert into judged_documents by name select * replace (3 as grade) from judged_documents where {grade}
    > judgments sample, topic T23: document doc-0481 stands 2 times in judged_documents
grade_differences
    update judged_documents set grade = 3 where {grade}
    > judgments sample, topic T23: document doc-0481 has the grade 3, the judgments say 2
    delete from judged_documents where {grade}
    > judgments sample, topic T23: document doc-0481 has no grade, the judgments say 2
judged_rank_differences
    delete from judged_ranks where {judged_rank}
    > run bm25, topic T23: judged_ranks differs from ranking and judgments, in document doc-0481
    update judged_ranks set rank = rank + 1 where {judged_rank}
    > run bm25, topic T23: judged_ranks differs from ranking and judgments, in document doc-0481
    update judged_ranks set tied_below = 1 where {judged_rank}
    > run bm25, topic T23: judged_ranks differs from ranking and judgments, in document doc-0481
    update judged_ranks set grade = 1 where {judged_rank}
    > run bm25, topic T23: judged_ranks differs from ranking and judgments, in document doc-0481
    insert into judged_ranks by name select * exclude (first_rank, last_rank) from judged_ranks where {judged_rank}
    > run bm25, topic T23: judged_ranks differs from ranking and judgments, in document doc-0481
running_counts
    update judged_ranks set judged_rank = judged_rank + 1 where {first_judged}
    > {place}: judged_rank or relevant_rank is wrong from rank 1 on
    update judged_ranks set relevant_rank = relevant_rank + 1 where {first_judged}
    > {place}: judged_rank or relevant_rank is wrong from rank 1 on
file_counts
    update run_topics set num_ret = num_ret - 1 where {t05}
    > run bm25: the files have 1600 rows, kept are 1599, left out as repeated 0
    update files set num_rows = 7 where kind = 'qrels'
    > judgments sample: the files have 7 rows, kept are {judgments}, left out as repeated 0
    insert into topic_meta values (1, 1, 'language', 'en'), (1, 2, 'language', 'de');
    insert into files values ('topics.language', 1, 'x', null, null, 3)
    > topics of judgments sample, language: the files have 3 rows, kept are 2, left out as repeated 0
sample_differences
    insert into judgment_samples select qrels_id, topic_id, document_id, 'a', 0.5 from judged_documents where {grade}
    > {drawn} is in a sample, and the judgments are grades
    update qrels set form = 'strata'; {sampled} where not ({grade})
    > {drawn} has a judgment and is not in the sample
    update qrels set form = 'strata'; {sampled}; update judgment_samples set probability = 0.5 where {grade}
    > {drawn} has the probability 0.5, and of its stratum a the share 1.0 is judged
    update qrels set form = 'probabilities'; {sampled}; update judgment_samples set probability = 0 where {grade}
    > {drawn} has the probability 0.0
    update qrels set form = 'probabilities'; {sampled}; insert into judgment_samples values (1, 1, 99999, 'a', 1)
    > judgments sample, topic T01: document #99999 is in the sample and has no judgment
unequal_at_one
    update judged_ranks set grade = 1, relevant_rank = 2 where {first_judged}
    > {pair}: P@1 is 1.0, Success@1 0.0, RR@1 0.0
falling_recall
    create temp macro r(k := null, rel := 1) as table select qrels, run, topic,
    if(k = 100 and run = 'bm25' and topic = 'T05', 0.25, 0.5) as value from steps.evaluated_topics
    > {pair}: R@100 is less than at a lesser cutoff
value_counts
    insert into evaluations select evaluation_id + 5000, qrels_id, run_id, topic_id from evaluations where {t05}
    > {pair}: AP and 96 other measures have no value or several, expected 1
stored_gaps
    insert into stored_scores select qrels_id, 77, topic_id, 'AP', 0.5, '', '' from evaluations where {t05}
    > run #77, judgments sample, AP: 1 stored scores for 1 of 40 judged topics
stored_beside_rankings
    insert into collection_scores select run_id, 'AP', 0.5 from runs where run = 'bm25'
    > run bm25 has stored scores and rankings
    insert into stored_scores select qrels_id, run_id, topic_id, 'AP', 0.5, '', '' from evaluations where {t05}
    > run bm25 has stored scores and rankings
missing_relations
    drop view ap; drop macro table ap
    > ap, of kind measures, is neither a view nor a macro
    delete from relations where relation = 'ap'
    > measure AP: its relation ap is not in relations
"""


def cases() -> Iterator[tuple[str, str, list[str]]]:
    """Audit, statements and findings of each."""
    audit, sql, found = "", "", list[str]()
    for line in [*DAMAGE.strip().splitlines(), ""]:
        text = line.strip().format(**NAMES)
        is_finding = text.startswith("> ")
        if found and not is_finding:
            yield audit, sql, found
            sql, found = "", []
        if is_finding:
            found.append(text.removeprefix("> "))
        elif line.startswith(" "):
            sql = f"{sql} {text}"
        else:
            audit = line
