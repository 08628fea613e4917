-- title: Pairs of judgment set and run with next to nothing in common, as where ids are those of another collection
-- inputs: new_pairs, ranked
-- columns: qrels_id, run_id
--   run_topics      topics that the run has documents for
--   common_topics   topics of both
--   num_retrieved   documents retrieved for them
--   num_judged      judged documents among these
--   topic_id        key of the first topic of both, null where there is none
-- definition: Pairs without a common topic, without a judged document, or with less than a hundredth of those that
--     could be found: of each topic the documents retrieved or judged, whichever are fewer. And those with less than a
--     tenth, if judgments of other topics have as many of the documents: what is found is then there by chance, up to
--     three standard deviations of a count (Poisson) above what is expected.
with judged as (
    select
        qrels_id,
        topic_id,
        count(*) as num_judged
    from judged_documents
    where qrels_id in (select qrels_id from new_pairs)
    group by qrels_id, topic_id
),
found as (
    select
        evaluations.qrels_id,
        evaluations.run_id,
        count(*) as num_found
    from judged_ranks
    join evaluations on evaluations.evaluation_id = judged_ranks.evaluation_id
    where evaluations.run_id in (select run_id from new_pairs)
    group by evaluations.qrels_id, evaluations.run_id
),
possible as (
    select
        new_pairs.qrels_id,
        new_pairs.run_id,
        count(*) as run_topics,
        count(judged.topic_id) as common_topics,
        coalesce(sum(run_topics.num_ret) filter (where judged.topic_id is not null), 0) as num_retrieved,
        -- least() passes over a null, so topics without judgments are left out by the filter.
        coalesce(sum(least(run_topics.num_ret, judged.num_judged)) filter (where judged.topic_id is not null), 0) as most,
        min(judged.topic_id) as topic_id
    from new_pairs
    join run_topics on run_topics.run_id = new_pairs.run_id
    left join judged
        on judged.qrels_id = new_pairs.qrels_id
        and judged.topic_id = run_topics.topic_id
    group by new_pairs.qrels_id, new_pairs.run_id
),
few as (
    select
        possible.*,
        coalesce(found.num_found, 0) as num_found
    from possible
    left join found
        on found.qrels_id = possible.qrels_id
        and found.run_id = possible.run_id
    where 10 * coalesce(found.num_found, 0) <= possible.most
),
elsewhere as (
    select
        few.qrels_id,
        few.run_id,
        count(*) / ((select count(*) from judged where judged.qrels_id = few.qrels_id) - 1) as expected
    from few
    join ranked on ranked.run_id = few.run_id
    join judged
        on judged.qrels_id = few.qrels_id
        and judged.topic_id = ranked.topic_id
    join judged_documents
        on judged_documents.qrels_id = few.qrels_id
        and judged_documents.document_id = ranked.document_id
        and judged_documents.topic_id <> ranked.topic_id
    group by few.qrels_id, few.run_id
)
select
    few.qrels_id,
    few.run_id,
    few.run_topics,
    few.common_topics,
    cast(few.num_retrieved as bigint) as num_retrieved,
    few.num_found as num_judged,
    few.topic_id
from few
left join elsewhere
    on elsewhere.qrels_id = few.qrels_id
    and elsewhere.run_id = few.run_id
where
    few.num_found = 0
    or 100 * few.num_found < few.most
    or few.num_found <= elsewhere.expected + 3 * sqrt(elsewhere.expected)
