-- title: A given score as each run's tie rule compares it with its documents' scores
-- parameters:
--   threshold double in (-inf, inf) = null   score, in the run's own direction; null gives no rows
-- columns:
--   run_id     key of the run
--   strength   its strength, to be compared with those of scored
with signed as (
    select
        run_id,
        tie_rule,
        case when lower_is_better then -$threshold else $threshold end as strength
    from runs
    where $threshold is not null
)
select
    run_id,
    case
        when tie_rule <> 'trec_eval' then strength
        when strength >= 3.4028235677973366e38 then 1e39
        when strength <= -3.4028235677973366e38 then -1e39
        else cast(
            cast(
                least(greatest(strength, -3.4028234663852886e38), 3.4028234663852886e38) as real
            ) as double
        )
    end as strength
from signed
