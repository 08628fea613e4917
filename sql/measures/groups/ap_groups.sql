-- measure: AP_groups
-- title: Average precision, averaged over judgment groups
-- trec_eval: map_avgjg
-- parameters: rel, judged_only, ties
--   judged_only boolean = false     whether the documents a group has not judged are left out of its ranking
--   ties varchar in {rule, worst, best, expected} = rule   order of tied documents: the tie rule's, or
--                                     the worst, the best or what is expected over all orders;
--                                     worst and best are not known (null) where a tie
--                                     has more than 1000 sets of documents by the groups'
--                                     judgments, or a topic more than 33 groups
-- definition: Average precision by the judgments of each group, those with one iteration, and the mean over
--    the topic's groups; a group without relevant documents has 0, as has a topic without groups.
-- reference: trec_eval 10.0, measure map_avgjg
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0.
-- range: 0 1
-- mean: arithmetic
-- scores: no
-- example: groups AP_groups = 0.1667
with numbered as (
    select
        evaluation_id,
        judgment_group,
        rank,
        row_number() over (partition by evaluation_id, judgment_group order by rank) as nth
    from group_ranks(judged_only := $judged_only)
    where
        grade >= $rel
        and $ties = 'rule'
),
counted as (
    select
        evaluation_id,
        judgment_group,
        first_rank,
        last_rank,
        num_rel,
        coalesce(
            sum(num_rel) over (
                partition by evaluation_id, judgment_group
                order by first_rank
                rows between unbounded preceding and 1 preceding
            ),
            0
        ) as rel_above
    from group_spans(rel := $rel, judged_only := $judged_only, ties := $ties)
    where $ties = 'expected'
),
found_places as (
    select
        evaluation_id,
        judgment_group,
        cast(nth as double) / rank as precision
    from numbered
    union all
    select
        evaluation_id,
        judgment_group,
        cast(rel_above + 1 as double) / first_rank as precision
    from counted
    where first_rank = last_rank
    union all
    -- Beside one of num_rel relevant documents the others are spread evenly over the remaining places.
    select
        counted.evaluation_id,
        counted.judgment_group,
        cast(counted.num_rel as double)
            / (counted.last_rank - counted.first_rank + 1)
            * (
                counted.rel_above
                + 1
                + cast(ranks_to_longest.rank - counted.first_rank as double)
                * (counted.num_rel - 1)
                / (counted.last_rank - counted.first_rank)
            )
            / ranks_to_longest.rank as precision
    from counted
    join ranks_to_longest on ranks_to_longest.rank between counted.first_rank and counted.last_rank
    where counted.first_rank < counted.last_rank
),
precisions as (
    select
        evaluation_id,
        judgment_group,
        sum(precision) as total
    from found_places
    group by evaluation_id, judgment_group
),
averages as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        avg(coalesce(precisions.total / nullif(group_relevant_counts.num_rel, 0), 0)) as value
    from evaluated_topics
    join group_relevant_counts(rel := $rel) as group_relevant_counts
        on group_relevant_counts.qrels_id = evaluated_topics.qrels_id
        and group_relevant_counts.topic_id = evaluated_topics.topic_id
    left join precisions
        on precisions.evaluation_id = evaluated_topics.evaluation_id
        and precisions.judgment_group = group_relevant_counts.judgment_group
    group by evaluated_topics.evaluation_id
),
extremes as (
    select
        evaluation_id,
        count(*) - count(total) as num_unknown,
        sum(total) as total
    from group_orders(rel := $rel, judged_only := $judged_only, measure := 'AP', ties := $ties)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    case
        when $ties not in ('worst', 'best') then coalesce(averages.value, 0)
        when coalesce(extremes.num_unknown, 0) = 0 then coalesce(extremes.total, 0)
    end as value
from evaluated_topics
left join averages on averages.evaluation_id = evaluated_topics.evaluation_id
left join extremes on extremes.evaluation_id = evaluated_topics.evaluation_id
