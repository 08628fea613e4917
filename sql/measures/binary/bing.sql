-- measure: binG
-- title: Mean over relevant documents of a gain discounted by the documents above that are not relevant
-- trec_eval: binG
-- parameters: rel, ties
-- definition: Sum over the relevant documents of 1 / log2(2 + n), divided by the number of relevant documents; n
--    documents above are not relevant, judged or not. 0 if there are no relevant documents.
-- reference: Buckley, trec_eval, measure binG, which calls it experimental
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: mixed binG = 0.1180
with others as (
    select
        evaluation_id,
        rank - nth as num_above,
        cast(1 as double) as share
    from relevant_ranks(rel := $rel, ties := $ties)
    where $ties <> 'expected'
    union all
    -- Among the others tied with it a document has every place with the same chance.
    select
        tie_groups.evaluation_id,
        tie_groups.first_rank - 1 - tie_groups.rel_above + ranks_to_longest.rank - 1 as num_above,
        cast(tie_groups.num_rel as double)
            / (tie_groups.last_rank - tie_groups.first_rank - tie_groups.num_rel + 2) as share
    from tie_groups(rel := $rel) as tie_groups
    join ranks_to_longest
        on ranks_to_longest.rank between 1 and tie_groups.last_rank - tie_groups.first_rank - tie_groups.num_rel + 2
    where
        $ties = 'expected'
        and tie_groups.num_rel > 0
),
discounted as (
    select
        evaluation_id,
        sum(share * ln(2) / ln(2 + num_above)) as total
    from others
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(discounted.total / nullif(topic_counts.num_rel, 0), 0) as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts
    on topic_counts.qrels_id = evaluated_topics.qrels_id
    and topic_counts.topic_id = evaluated_topics.topic_id
left join discounted on discounted.evaluation_id = evaluated_topics.evaluation_id
