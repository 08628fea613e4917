-- title: How many sentences and citations each answer has, and how far the documents that are cited support it
-- columns: qrels, run, topic
--   num_sentences     sentences of the answer
--   num_citations     citations in it
--   total_support     over citations 1 for full support and 0.5 for partial support
--   total_supported   over sentences the greatest of these
with sentences as (
    select
        qrels_id,
        run_id,
        topic_id,
        sentence,
        count(document) as num_citations,
        cast(coalesce(sum(support), 0) as double) / 2 as total_support,
        cast(coalesce(max(support), 0) as double) / 2 as best_support
    from answer_citations
    where run_id in (select run_id from asked_runs())
    group by qrels_id, run_id, topic_id, sentence
),
answered as (
    select
        qrels_id,
        run_id,
        topic_id,
        cast(count(*) as double) as num_sentences,
        cast(sum(num_citations) as double) as num_citations,
        sum(total_support) as total_support,
        sum(best_support) as total_supported
    from sentences
    group by qrels_id, run_id, topic_id
)
select
    answered_topics.qrels,
    answered_topics.run,
    answered_topics.topic,
    coalesce(answered.num_sentences, 0) as num_sentences,
    coalesce(answered.num_citations, 0) as num_citations,
    coalesce(answered.total_support, 0) as total_support,
    coalesce(answered.total_supported, 0) as total_supported
from answered_topics
left join answered using (qrels_id, run_id, topic_id)
where answered_topics.kind = 'citations'
