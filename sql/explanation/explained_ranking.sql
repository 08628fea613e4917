-- title: A ranking with what each document contributes to a measure, beside the ideal ranking
-- inputs: listed, contributions
-- parameters:
--   depth integer in [1, inf) = 100   how far down one looks
-- columns:
--   rank             rank in both; 0 stands for the empty list, where its value is not 0
--   document         the run's document there
--   score            its score as it stood in the file
--   grade            its grade, null if it is not judged
--   contribution     value of the list down to it less that of the list above it
--   value            value of the list down to it
--   ideal_document   judged document at that rank in the order of the grades
--   ideal_grade      its grade
--   ideal_value      value of that order down to it
with described as (
    select
        contributions.list,
        contributions.rank,
        listed.document,
        listed.score,
        listed.grade,
        contributions.contribution,
        contributions.value
    from contributions
    left join listed using (list, rank)
    where contributions.rank <= $depth
),
shown as (
    select
        rank,
        document,
        score,
        grade,
        contribution,
        value
    from described
    where list = 'run'
),
ideal as (
    select
        rank,
        document,
        grade,
        value
    from described
    where list = 'ideal'
)
select
    coalesce(shown.rank, ideal.rank) as rank,
    shown.document,
    shown.score,
    shown.grade,
    shown.contribution,
    shown.value,
    ideal.document as ideal_document,
    ideal.grade as ideal_grade,
    ideal.value as ideal_value
from shown
full join ideal on ideal.rank = shown.rank
where
    coalesce(shown.rank, ideal.rank) > 0
    or shown.value <> 0
