-- title: The run whose mean depends most on the order of tied documents, and how many pairs could change places
-- inputs: tie_effects, tie_dependent_pairs
-- parameters:
--   asking varchar = null   what shows all of this
-- columns:
--   place    1
--   remark   a line; none where no pair could
with pairs as (
    select count(*) as num_pairs
    from tie_dependent_pairs
),
spans as (
    select
        qrels,
        measure,
        run,
        value,
        least(worst, best) as low,
        greatest(worst, best) as high
    from tie_effects
)
select
    1 as place,
    format(
        'ties: {} lies between {:.4f} and {:.4f} on {}, the widest span; {:,} {} of runs could change places under other '
        || 'orders of tied documents; {} shows all',
        spans.run, spans.low, spans.high, spans.measure,
        pairs.num_pairs, case when pairs.num_pairs = 1 then 'pair' else 'pairs' end, $asking
    ) as remark
from spans
cross join pairs
where pairs.num_pairs > 0
order by spans.high - spans.low desc nulls last, spans.qrels, spans.value desc, spans.run
limit 1
