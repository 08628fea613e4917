-- title: Of each statistic of agreement the pairs of judgment sets that agree most
-- inputs: agreements
-- parameters:
--   most integer = null   pairs of each statistic; null is all
-- columns:
--   statistic       which statistic
--   qrels           judgment sets compared
--   num_documents   documents that they have in common
--   value           its value
--   place           place of the statistic among all
with placed as (
    select
        *,
        row_number() over (partition by place order by value desc nulls last, qrels) as position
    from agreements
)
select
    statistic,
    qrels,
    num_documents,
    value,
    place
from placed
where
    $most is null
    or position <= $most
