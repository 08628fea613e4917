-- title: Staged judgments of a sample that no sample can have given
-- inputs: staged
-- parameters:
--   form varchar in {strata, probabilities} = strata   what the rows say of the sample
-- columns: line, reason
-- definition: A document that was judged had a probability above 0, and none has one below 0 or above 1. That of what
--    the methods 0 and 2 took is not used.
select
    line,
    concat(
        'probability ', probability, ' of document ', document, ' is not ',
        case when grade >= 0 and stratum not in ('0', '2') then 'above 0 and ' else 'at least 0 and ' end,
        'at most 1'
    ) as reason
from staged
where
    $form = 'probabilities'
    and not (
        probability between 0 and 1
        and (probability > 0 or grade < 0 or stratum in ('0', '2'))
    )
