-- title: infAP in the worst and the best order of tied documents
-- definition: The best order of a tie has what is not relevant or not in the pool below the relevant documents, the
--    worst has it above them. An unjudged document of the pool above a relevant one lowers what that one adds until
--    enough relevant ones are above it, and raises it from there on: the best order has it above those that it helps,
--    and no order is worse than the worst of those in which none stands between two relevant ones.
-- parameters: rel, ties in {worst, best} = best
-- columns: qrels, run, topic, value
with relevant as (
    select
        tie_groups.evaluation_id,
        tie_groups.first_rank,
        cast(tie_groups.rel_above + ranks_to_longest.rank - 1 as double) as rel_above,
        cast(
            tie_groups.nonrel_above + case when $ties = 'best' then 0 else tie_groups.num_nonrel end as double
        ) as nonrel_above,
        case
            when $ties = 'best' then tie_groups.first_rank - 1
            else tie_groups.last_rank - tie_groups.num_rel - tie_groups.num_nonrel - tie_groups.num_unjudged
        end - tie_groups.rel_above - tie_groups.nonrel_above - tie_groups.unjudged_above as outside_above,
        tie_groups.unjudged_above,
        tie_groups.num_unjudged
    from tie_groups(rel := $rel) as tie_groups
    join ranks_to_longest on ranks_to_longest.rank between 1 and tie_groups.num_rel
),
choices as (
    select
        evaluation_id,
        first_rank,
        0 as choice,
        rel_above,
        nonrel_above,
        outside_above,
        unjudged_above + case
            when (rel_above + 0.00001) / (rel_above + nonrel_above + 0.00002) * (outside_above + 1) > 1
            then num_unjudged
            else 0
        end as unjudged_above
    from relevant
    where $ties = 'best'
    union all
    select
        relevant.evaluation_id,
        relevant.first_rank,
        ranks_to_longest.rank as choice,
        relevant.rel_above,
        relevant.nonrel_above,
        relevant.outside_above,
        relevant.unjudged_above + ranks_to_longest.rank - 1 as unjudged_above
    from relevant
    join ranks_to_longest on ranks_to_longest.rank between 1 and relevant.num_unjudged + 1
    where $ties = 'worst'
),
above as (
    select
        *,
        rel_above + nonrel_above + unjudged_above + outside_above + 1 as rank
    from choices
),
tie_sums as (
    select
        evaluation_id,
        first_rank,
        choice,
        sum(
            case
                when rank = 1 then cast(1 as double)
                else 1 / rank
                    + (rank - 1) / rank
                    * ((rel_above + nonrel_above + unjudged_above) / (rank - 1))
                    * ((rel_above + 0.00001) / (rel_above + nonrel_above + 0.00002))
            end
        ) as total
    from above
    group by evaluation_id, first_rank, choice
),
least_tie_sums as (
    select
        evaluation_id,
        first_rank,
        min(total) as total
    from tie_sums
    group by evaluation_id, first_rank
),
inferred as (
    select
        evaluation_id,
        sum(total) as total
    from least_tie_sums
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(inferred.total / nullif(topic_counts.num_rel, 0), 0) as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts using (qrels_id, topic_id)
left join inferred using (evaluation_id)
