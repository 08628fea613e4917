-- title: Kinds of tied documents, and of single ones, that have a gain: those of a kind have the same
-- parameters: gains
-- columns: evaluation_id, first_rank
--   size          documents in the tie
--   num_zero      documents in the tie that have no gain
--   kind_number   number of the kind within the tie
--   num_kinds     kinds in the tie
--   gain          gain of its documents
--   num_docs      how many they are
--   step          what one of them adds to the number of a set of documents: the digit of each kind, in a number of
--                 mixed radix, is how many of its documents are in the set
--   num_sets      how many different sets there are; at most 1e10
--   has_loss      whether a tied document has a gain below 0
--   gain_above    sum of the gains above the tie
with kinds as (
    select
        judged_ranks.evaluation_id,
        judged_ranks.first_rank,
        judged_ranks.last_rank,
        grade_gains.gain,
        count(*) as num_docs
    from asked_ranks() as judged_ranks
    join grade_gains(gains := $gains) as grade_gains using (grade)
    where grade_gains.gain <> 0
    group by
        judged_ranks.evaluation_id,
        judged_ranks.first_rank,
        judged_ranks.last_rank,
        grade_gains.gain
),
counted as (
    select
        evaluation_id,
        first_rank,
        last_rank - first_rank + 1 as size,
        gain,
        num_docs,
        row_number() over up_to as kind_number,
        sum(ln(num_docs + 1)) over up_to - ln(num_docs + 1) as ln_step,
        count(*) over whole as num_kinds,
        sum(ln(num_docs + 1)) over whole as ln_num_sets,
        sum(num_docs) over whole as num_gained,
        min(gain) over whole as least_gain,
        sum(gain * num_docs) over (
            partition by evaluation_id
            order by first_rank, gain
            rows between unbounded preceding and current row
        ) - sum(gain * num_docs) over up_to as gain_above
    from kinds
    window
        whole as (partition by evaluation_id, first_rank),
        up_to as (
            partition by evaluation_id, first_rank
            order by gain
            rows between unbounded preceding and current row
        )
)
select
    evaluation_id,
    first_rank,
    size,
    size - num_gained as num_zero,
    kind_number,
    num_kinds,
    gain,
    num_docs,
    round(exp(least(ln_step, 23))) as step,
    round(exp(least(ln_num_sets, 23))) as num_sets,
    least_gain < 0 and size > 1 as has_loss,
    gain_above
from counted
