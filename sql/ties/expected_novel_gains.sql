-- title: What relevant documents are expected to gain for a subtopic at each rank, over all orders of tied documents
-- definition: A document gains (1 - alpha)^n, n being how many documents above it are relevant to the subtopic. At a
--    rank of a tie this is summed over n, each gain times the probability that the relevant document below n others
--    stands there.
-- parameters: alpha, rel, judged_only
--   alpha double in [0, 1] = 0.5   how much a subtopic loses with each document relevant to it
-- columns: evaluation_id, subtopic
--   rank       a rank at which a document relevant to it may stand
--   gain       gain expected there
with tied as (
    select
        *,
        last_rank - first_rank + 1 as size
    from subtopic_ties(rel := $rel, judged_only := $judged_only)
),
sizes as (
    select distinct
        size,
        num_rel
    from tied
    where size > 1
),
relevant_tops as (
    -- The probability that the first documents of a tie are all relevant, as many as relevant_rank says.
    select
        sizes.size as size,
        sizes.num_rel as num_rel,
        ranks_to_longest.rank as relevant_rank,
        sum(
            ln(
                cast(sizes.num_rel - ranks_to_longest.rank + 1 as double)
                    / (sizes.size - ranks_to_longest.rank + 1)
            )
        ) over (
            partition by sizes.size, sizes.num_rel
            order by ranks_to_longest.rank
            rows between unbounded preceding and current row
        ) as logarithm
    from sizes
    join ranks_to_longest on ranks_to_longest.rank <= sizes.num_rel
),
factors as (
    -- By how much likelier the relevant document of that number stands here in the tie than one higher.
    select
        relevant_tops.size as size,
        relevant_tops.num_rel as num_rel,
        relevant_tops.relevant_rank as relevant_rank,
        ranks_to_longest.rank as number_in_tie,
        case
            when ranks_to_longest.rank = relevant_tops.relevant_rank then relevant_tops.logarithm
            else ln((ranks_to_longest.rank - 1) / (ranks_to_longest.rank - relevant_tops.relevant_rank))
                + ln(
                    cast(
                        relevant_tops.size
                            - ranks_to_longest.rank
                            + 1
                            - relevant_tops.num_rel
                            + relevant_tops.relevant_rank as double
                    )
                        / (relevant_tops.size - ranks_to_longest.rank + 1)
                )
        end as logarithm
    from relevant_tops
    join ranks_to_longest
        on ranks_to_longest.rank between relevant_tops.relevant_rank
        and relevant_tops.size - relevant_tops.num_rel + relevant_tops.relevant_rank
),
probabilities as (
    select
        size,
        num_rel,
        relevant_rank,
        number_in_tie,
        exp(
            sum(logarithm) over (
                partition by size, num_rel, relevant_rank
                order by number_in_tie
                rows between unbounded preceding and current row
            )
        ) as probability
    from factors
),
gains_in_tie as (
    select
        size,
        num_rel,
        number_in_tie,
        fsum(probability * pow(1 - $alpha, relevant_rank - 1)) as gain
    from probabilities
    group by size, num_rel, number_in_tie
)
select
    evaluation_id,
    subtopic,
    first_rank as rank,
    pow(1 - $alpha, rel_above) as gain
from tied
where size = 1
union all
select
    tied.evaluation_id as evaluation_id,
    tied.subtopic as subtopic,
    tied.first_rank + gains_in_tie.number_in_tie - 1 as rank,
    pow(1 - $alpha, tied.rel_above) * gains_in_tie.gain as gain
from tied
join gains_in_tie using (size, num_rel)
