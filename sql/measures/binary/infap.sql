-- measure: infAP
-- title: Inferred average precision, from judgments that are a sample of the pool
-- trec_eval: infAP
-- parameters: rel, ties in {rule, worst, best}
-- definition: Mean over the R relevant documents of what is expected of the precision at their rank k: 1 if k = 1, else
--    1/k + (k-1)/k * d/(k-1) * (r + e) / (r + n + 2e), where of the documents above d are in the pool (a negative grade
--    is in the pool without a judgment), r judged relevant and n not, and e = 0.00001; 0 for one not retrieved.
-- reference: Yilmaz and Aslam 2006, Estimating average precision with incomplete and imperfect judgments,
--    doi:10.1145/1183614.1183633
-- differs: Nothing known; equal to trec_eval 9.0.8 and 10.0 and to ir_measures. The worst and the best
--    are those of rankings of fewer than 100,000 documents; in longer ones e may count for more than a place.
-- range: 0 1
-- mean: arithmetic
-- example: mixed infAP = 0.1111
with numbered as (
    -- Those in the pool without a judgment are counted as what stands among the relevant ones.
    select
        evaluation_id,
        rank,
        first_rank,
        last_rank,
        judged_rank,
        relevant_rank,
        grade,
        row_number() over (
            partition by evaluation_id
            order by rank
        ) as place
    from judged_ranks
    where
        grade < 0
        or grade >= $rel
),
relevant as (
    select
        evaluation_id,
        rank,
        first_rank,
        last_rank,
        judged_rank,
        place,
        case
            when $rel = 1 then relevant_rank
            else row_number() over (
                partition by evaluation_id
                order by rank
            )
        end as nth
    from numbered
    where grade >= $rel
),
counted as (
    select
        evaluation_id,
        rank,
        first_rank,
        last_rank,
        cast(judged_rank - 1 + place - nth as double) as pooled_above,
        cast(nth - 1 as double) as rel_above,
        cast(judged_rank - nth as double) as nonrel_above
    from relevant
),
tied as (
    -- Best with all that are not relevant or not in the pool below the relevant ones, worst with them above.
    select
        tie_groups.evaluation_id as evaluation_id,
        tie_groups.first_rank as first_rank,
        tie_groups.num_unjudged as num_unjudged,
        tie_groups.unjudged_above as unjudged_above,
        cast(tie_groups.rel_above + ranks_to_longest.rank - 1 as double) as rel_above,
        cast(
            tie_groups.nonrel_above + case when $ties = 'best' then 0 else tie_groups.num_nonrel end as double
        ) as nonrel_above,
        case
            when $ties = 'best' then tie_groups.first_rank - 1
            else tie_groups.last_rank - tie_groups.num_rel - tie_groups.num_nonrel - tie_groups.num_unjudged
        end - tie_groups.rel_above - tie_groups.nonrel_above - tie_groups.unjudged_above as unpooled_above
    from tie_groups(rel := $rel) as tie_groups
    join ranks_to_longest on ranks_to_longest.rank between 1 and tie_groups.num_rel
    where
        $ties <> 'rule'
        and tie_groups.first_rank < tie_groups.last_rank
),
chosen as (
    -- Unjudged documents above lower what a relevant one adds until enough relevant ones are above it, then raise it.
    select
        evaluation_id,
        0 as tie,
        0 as choice,
        rel_above,
        nonrel_above,
        unpooled_above,
        unjudged_above + case
            when (rel_above + 0.00001) / (rel_above + nonrel_above + 0.00002) * (unpooled_above + 1) > 1
            then num_unjudged
            else 0
        end as unjudged_above
    from tied
    where $ties = 'best'
    union all
    -- So no order is worse than the worst of those in which none of them stands between two relevant ones.
    select
        tied.evaluation_id,
        tied.first_rank as tie,
        ranks_to_longest.rank as choice,
        tied.rel_above,
        tied.nonrel_above,
        tied.unpooled_above,
        tied.unjudged_above + ranks_to_longest.rank - 1 as unjudged_above
    from tied
    join ranks_to_longest on ranks_to_longest.rank between 1 and tied.num_unjudged + 1
    where $ties = 'worst'
),
placed as (
    select
        evaluation_id,
        0 as tie,
        0 as choice,
        rank,
        pooled_above,
        rel_above,
        nonrel_above
    from counted
    where
        $ties = 'rule'
        or first_rank = last_rank
    union all
    select
        evaluation_id,
        tie,
        choice,
        rel_above + nonrel_above + unjudged_above + unpooled_above + 1 as rank,
        rel_above + nonrel_above + unjudged_above as pooled_above,
        rel_above,
        nonrel_above
    from chosen
),
sums as (
    select
        evaluation_id,
        tie,
        choice,
        sum(
            case
                when rank = 1 then cast(1 as double)
                else cast(1 as double) / rank
                    + cast(rank - 1 as double) / rank
                    * (pooled_above / (rank - 1))
                    * ((rel_above + 0.00001) / (rel_above + nonrel_above + 0.00002))
            end
        ) as total
    from placed
    group by evaluation_id, tie, choice
),
least_sums as (
    select
        evaluation_id,
        tie,
        min(total) as total
    from sums
    group by evaluation_id, tie
),
inferred as (
    select
        evaluation_id,
        sum(total) as total
    from least_sums
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(inferred.total / nullif(topic_counts.num_rel, 0), 0) as value
from evaluated_topics
join topic_counts(rel := $rel) as topic_counts
    on topic_counts.qrels_id = evaluated_topics.qrels_id
    and topic_counts.topic_id = evaluated_topics.topic_id
left join inferred on inferred.evaluation_id = evaluated_topics.evaluation_id
