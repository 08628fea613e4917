-- title: The runs that a portion has rows of, with keys for the time of its evaluation
-- inputs: portion
-- columns:
--   run      name of the run
--   run_id   key of the run; those of one kind follow one another
--   kind     kind of its rows: 0 with scores, 1 ranked without scores, 2 with E-values
select
    run,
    cast(row_number() over (order by max(kind) nulls first, run) as integer) as run_id,
    coalesce(max(kind), 0) as kind
from portion
group by run
