-- title: What makes the comparison of a run with its baseline in a gate less than it seems
-- inputs: gate_scores, tests
-- parameters:
--   candidate varchar = null   run that is judged
--   reference varchar = null   run that it is compared with; null for none
--   qrels varchar = null       of figures from a file the judgment set that the run is judged by; null where both are runs
--   sha256 varchar = null      checksum of the judgments that these figures were made with, as far as it is known
-- columns:
--   place    1 for the first line
--   remark   a line on topics that figures of a file lack, on other judgments, or on a measure with the same values
with new_topics as (
    select topic
    from gate_scores
    where run = $candidate and $qrels is not null
    except
    select topic
    from gate_scores
    where run = $reference
),
remarks(part, measure, remark) as (
    select
        1,
        null,
        concat('the baseline lacks ', count_of(count(*), 'topic'), ' of the run; drops and tests leave these out')
    from new_topics
    having count(*) > 0
    union all
    select 2, null, 'the judgments are not those that the baseline''s figures were made with'
    from qrels
    join files
        on files.id = qrels.qrels_id
        and files.kind = 'qrels'
    where qrels.qrels = $qrels and $sha256 <> ''
    having count(case when files.sha256 = $sha256 then 1 end) = 0 and count(files.sha256) > 0
    union all
    select 3, tests.measure, concat(tests.measure, ': the same value as the baseline''s for every topic')
    from tests
    where
        tests.run = $candidate
        and tests.note = 'identical'
)
select
    row_number() over (order by part, measure) as place,
    remark
from remarks
