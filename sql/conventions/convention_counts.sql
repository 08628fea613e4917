-- title: How many figures of a table each convention gives
-- inputs: compared_figures
-- columns:
--   asked         measure as the table names it
--   measure       canonical name of the measure under the convention
--   convention    in what it differs from the measure as asked, in words
--   num_fitting   figures that it gives, to their printed digits
--   num_figures   figures of the measure that could be compared
--   farthest      greatest distance of a value from its figure
--   unlike        first systems, by name, whose figures it does not give
--   num_changes   in how many points the convention differs
--   is_formula    whether one of these is another formula, as of a variant or a mistake
-- definition: Counts over the rows of figure_conventions. A convention is left out where a part of what it changes gives
--     the same values for every system.
with counted as (
    select
        asked,
        measure,
        convention,
        num_changes,
        is_formula,
        count(case when fits then 1 end) as num_fitting,
        count(*) as num_figures,
        max(distance) as farthest,
        bool_or(is_needed) as is_needed,
        list(system order by system) filter (where not fits) as all_unlike
    from compared_figures
    group by asked, measure, convention, num_changes, is_formula
)
select
    asked,
    measure,
    convention,
    num_fitting,
    num_figures,
    farthest,
    array_to_string(all_unlike[1:3], ', ') as unlike,
    num_changes,
    is_formula
from counted
where is_needed
