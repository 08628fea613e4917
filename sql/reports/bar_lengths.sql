-- title: Means of systems as lengths of bars, the greatest of each judgment set being the longest
-- inputs: board
-- parameters:
--   longest integer in [1, inf) = 64   length of the longest bar
-- columns: qrels, run
--   length   length of its bar; 0 for a value of 0 or less, and for none
select
    qrels,
    run,
    case
        when value > 0 then cast(round($longest * value / max(value) over (partition by qrels)) as integer)
        else 0
    end as length
from board
