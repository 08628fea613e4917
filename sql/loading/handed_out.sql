-- title: What is found of a run in one place and handed to others as a text: a row for each run
-- inputs: found
-- columns:
--   run     name of the run
--   facts   list of what was found of it, which handed_in reads
select
    run,
    cast(
        list(
            {
                'k': k,
                'rel': rel,
                'quantile': quantile,
                'weighted': weighted,
                'weight': weight,
                'comparison_score': comparison_score
            }
        ) as varchar
    ) as facts
from found
group by run
