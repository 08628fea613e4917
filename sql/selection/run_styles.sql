-- title: In which colour and with which dashes charts draw each run, the same in every chart
-- parameters:
--   colours integer in [1, inf) = 8   colours there are
--   dashes integer in [1, inf) = 4    kinds of lines there are
-- columns: run
--   system   the system that it is a load of, else the run itself
--   place    place of the run among those of its system, in the order of loading, from 0
--   colour   number of its colour, from 0
--   dash     number of its kind of line, from 0
-- definition: Systems have colours in the order in which they were first loaded. When all colours are taken the next
--     kind of line begins; so does it with each further run of a system.
with grouped as (
    select
        run_id,
        run,
        coalesce(system, run) as system,
        min(run_id) over (partition by coalesce(system, run)) as first_id,
        row_number() over (partition by coalesce(system, run) order by run_id) - 1 as place
    from run_versions
),
numbered as (
    select
        run,
        system,
        place,
        dense_rank() over (order by first_id) - 1 as number
    from grouped
)
select
    run,
    system,
    place,
    number % $colours as colour,
    (number // $colours + place) % $dashes as dash
from numbered
