-- title: Accuracy in the worst and the best order of tied documents, and expected over all their orders
-- definition: A tie above the cutoff has all, none or half of its other documents above a relevant one. Of the tie that
--    the cutoff cuts there may be more or fewer relevant documents above it, and more are not always better.
-- parameters: k, rel, ties in {worst, best, expected} = expected
-- columns: qrels, run, topic, value
--   k           rank cutoff
--   num_pairs   pairs of a relevant document and another one among the first k
with whole_ties as (
    select
        ties.evaluation_id,
        cutoffs.last_rank,
        ties.num_rel,
        ties.first_rank - 1 - ties.rel_above as others_above,
        ties.last_rank - ties.first_rank + 1 - ties.num_rel as others_beside
    from relevant_ties(rel := $rel) as ties
    join cutoffs(k := $k) as cutoffs on ties.last_rank <= cutoffs.last_rank
),
whole_tie_sums as (
    select
        evaluation_id,
        last_rank,
        sum(num_rel) as num_rel,
        sum(
            num_rel * (
                others_above
                + others_beside
                * case $ties when 'worst' then 1 when 'best' then 0 else cast(0.5 as double) end
            )
        ) as num_misordered
    from whole_ties
    group by evaluation_id, last_rank
),
cut as (
    -- Of a tie that a cutoff cuts, the number of documents above it has a hypergeometric distribution.
    select
        ties.evaluation_id,
        cutoffs.last_rank,
        ties.last_rank - ties.first_rank + 1 as size,
        cutoffs.last_rank - ties.first_rank + 1 as num_kept,
        ties.num_rel,
        ties.first_rank - 1 - ties.rel_above as others_above
    from relevant_ties(rel := $rel) as ties
    join cutoffs(k := $k) as cutoffs
        on ties.first_rank <= cutoffs.last_rank
        and ties.last_rank > cutoffs.last_rank
),
ratios as (
    -- How many times as likely each number is as the one before.
    select
        cut.evaluation_id,
        cut.last_rank,
        cut.num_kept,
        cut.others_above,
        numbers.number,
        case
            when numbers.number > greatest(cut.num_kept - cut.size + cut.num_rel, 0)
            then cast(cut.num_kept - numbers.number + 1 as double)
                * (cut.num_rel - numbers.number + 1)
                / numbers.number
                / (cut.size - cut.num_kept - cut.num_rel + numbers.number)
            else cast(1 as double)
        end as ratio
    from cut
    join numbers_to_longest as numbers
        on numbers.number between greatest(cut.num_kept - cut.size + cut.num_rel, 0)
            and least(cut.num_kept, cut.num_rel)
),
logarithms as (
    -- Products of many ratios may be too great for a number, sums of their logarithms are not.
    select
        *,
        sum(ln(ratio)) over (
            partition by evaluation_id, last_rank
            order by number
            rows between unbounded preceding and current row
        ) as logarithm
    from ratios
),
cut_weights as (
    select
        *,
        exp(logarithm - max(logarithm) over (partition by evaluation_id, last_rank)) as weight
    from logarithms
),
cut_ties as (
    select
        evaluation_id,
        last_rank,
        number as num_rel,
        others_above,
        num_kept - number as others_beside,
        weight / sum(weight) over (partition by evaluation_id, last_rank) as probability
    from cut_weights
),
counts as (
    select
        evaluated_topics.evaluation_id as evaluation_id,
        cutoffs.last_rank as last_rank,
        least(cutoffs.last_rank, evaluated_topics.num_ret) as num_ret,
        coalesce(whole_tie_sums.num_rel, 0) + coalesce(cut_ties.num_rel, 0) as num_rel,
        coalesce(whole_tie_sums.num_misordered, 0)
            + coalesce(
                cut_ties.num_rel * (
                    cut_ties.others_above
                    + cut_ties.others_beside
                    * case $ties when 'worst' then 1 when 'best' then 0 else cast(0.5 as double) end
                ),
                0
            ) as num_misordered,
        coalesce(cut_ties.probability, 1) as probability
    from evaluated_topics
    cross join cutoffs(k := $k) as cutoffs
    left join whole_tie_sums using (evaluation_id, last_rank)
    left join cut_ties using (evaluation_id, last_rank)
),
pairs as (
    select
        *,
        cast(num_rel as double) * (num_ret - num_rel) as num_pairs
    from counts
),
outcomes as (
    select
        *,
        case when num_rel = 0 then 0 else 1 - coalesce(num_misordered / nullif(num_pairs, 0), 0) end as value
    from pairs
),
numbered as (
    select
        *,
        row_number() over (
            partition by evaluation_id, last_rank
            order by case when $ties = 'best' then -value else value end, num_pairs
        ) as number
    from outcomes
),
chosen as (
    select
        evaluation_id,
        last_rank,
        fsum(probability * value) / sum(probability) as value,
        fsum(probability * num_pairs) / sum(probability) as num_pairs
    from numbered
    where
        number = 1
        or $ties = 'expected'
    group by evaluation_id, last_rank
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    chosen.value,
    chosen.num_pairs
from evaluated_topics
join chosen using (evaluation_id)
join cutoffs(k := $k) as cutoffs using (last_rank)
