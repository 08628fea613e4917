-- title: What is to be said of staged judgments of a sample
-- inputs: staged
-- parameters:
--   form varchar in {strata, probabilities} = strata   what the rows say of the sample
-- columns:
--   remark   a line
with strata as (
    select
        topic,
        stratum,
        count(*) as num_docs
    from staged
    where $form = 'strata'
    group by topic, stratum
    having count(case when grade >= 0 then 1 end) = 0
),
first_stratum as (
    select
        count(*) over () as num_strata,
        sum(num_docs) over () as num_docs,
        topic,
        stratum
    from strata
    order by topic, stratum
    limit 1
)
select concat('in the pool and not judged: ', count(*), ' of ', (select count(*) from staged), ' documents') as remark
from staged
where grade < 0
having count(*) > 0
union all
select
    concat(
        'strata without a judged document: ', num_strata, ', such as ', stratum, ' of topic ', topic,
        '; estimates cannot see what is relevant among their documents, ', num_docs, ' in all'
    )
from first_stratum
union all
select concat('taken by the methods 0 or 2, and so judged for certain: ', count(*), ' documents')
from staged
where
    $form = 'probabilities'
    and stratum in ('0', '2')
having count(*) > 0
