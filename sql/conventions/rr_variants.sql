-- title: Reciprocal rank as other programs have it by mistake
-- parameters: k, rel, judged_only, ties
-- columns: qrels, run, topic, k, variant, value
-- definition: The formula of each variant stands beside what it is called. Under ties = expected there is none.
-- reference: fixtures/conformance, where each variant has exact values for small cases
with greatest_grades as (
    select
        qrels_id,
        topic_id,
        max(grade) as grade
    from judged_documents
    group by qrels_id, topic_id
),
found as (
    select
        ranks.evaluation_id as evaluation_id,
        cutoffs.last_rank,
        min(ranks.rank) as first_at_all,
        min(case when ranks.rank <= cutoffs.last_rank then ranks.rank end) as first_rank,
        max(case when ranks.rank <= cutoffs.last_rank then ranks.rank end) as last_relevant,
        avg(case when ranks.rank <= cutoffs.last_rank then cast(1 as double) / ranks.rank end) as mean_reciprocal_rank,
        min(case when ranks.rank <= cutoffs.last_rank and ranks.grade = greatest_grades.grade then ranks.rank end)
            as first_of_greatest
    from ordered_ranks(judged_only := $judged_only, ties := $ties) as ranks
    cross join cutoffs(k := $k) as cutoffs
    join evaluated_topics using (evaluation_id)
    join greatest_grades using (qrels_id, topic_id)
    where ranks.grade >= $rel
    group by ranks.evaluation_id, cutoffs.last_rank
),
variants as (
    select
        evaluated_topics.qrels,
        evaluated_topics.run,
        evaluated_topics.topic,
        cutoffs.k,
        unnest([
            {
                'variant': 'counts ranks from 0 and adds 2, or adds 1 to ranks from 1',
                'given': cast(1 as double) / (found.first_rank + 1)
            },
            {
                'variant': 'takes the last relevant document',
                'given': cast(1 as double) / found.last_relevant
            },
            {
                'variant': 'takes the mean of the reciprocal ranks of all relevant documents retrieved',
                'given': found.mean_reciprocal_rank
            },
            {
                'variant': 'takes the document of the greatest grade, not the first relevant one',
                'given': cast(1 as double) / found.first_of_greatest
            },
            {
                'variant': 'takes no notice of the cutoff',
                'given': cast(1 as double) / found.first_at_all
            }
        ], recursive := true)
    from evaluated_topics
    cross join cutoffs(k := $k) as cutoffs
    left join found using (evaluation_id, last_rank)
    where $ties <> 'expected'
)
select
    qrels,
    run,
    topic,
    k,
    variant,
    coalesce(given, 0) as value
from variants
