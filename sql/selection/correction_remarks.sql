-- title: What is to be said of means or differences by a judge that people's judgments correct
-- inputs: corrected
-- parameters:
--   reference varchar = null   the judgment set of people
--   judge varchar = null   that of the judge
-- columns:
--   place    1 for the first line
--   remark   a line
with counted as (
    select
        max(num_topics) as num_topics,
        max(num_judged) as num_judged,
        count(*) as num_rows,
        count(*) filter (where note = 'few topics') as num_few,
        count(*) filter (where note = 'people alone are surer') as num_surer
    from corrected
)
select
    1 as place,
    concat(
        num_topics, ' topics of ', $reference, ' and ', num_judged, ' more of ', $judge, '; n_effective: topics of ',
        $reference, ' that would be as sure without ', $judge
    ) as remark
from counted
union all
select
    2 as place,
    'fewer than 10 topics by people: n_effective is a guess, see evalsql help judges' as remark
from counted
where num_few > 0
union all
select
    3 as place,
    concat('less sure than people''s topics alone: ', num_surer, ' of ', num_rows) as remark
from counted
where num_surer > 0
union all
select
    4 as place,
    concat($judge, ' has no topic that ', $reference, ' lacks; nothing is estimated') as remark
from counted
where num_judged = 0
