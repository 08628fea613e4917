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
)
select
    1 as place,
    format(
        'ties: {} lies between {:.4f} and {:.4f} on {}, the widest span; {} of runs could change places under '
        || 'other orders of tied documents; {} shows all',
        tie_effects.run, least(tie_effects.worst, tie_effects.best), greatest(tie_effects.worst, tie_effects.best),
        tie_effects.measure, count_of(pairs.num_pairs, 'pair'), $asking
    ) as remark
from tie_effects
cross join pairs
where pairs.num_pairs > 0
order by
    abs(tie_effects.worst - tie_effects.best) desc nulls last,
    tie_effects.qrels,
    tie_effects.value desc,
    tie_effects.run
limit 1
