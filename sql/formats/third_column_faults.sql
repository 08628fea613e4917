-- title: Why the third column of a table without a header may be another than the one it is taken for
-- inputs: numbers
-- parameters:
--   meaning varchar in {rank, score, grade, value} = rank   what the column is taken for, a value being the third one
--                                                           of a list of JSON, a score
-- columns:
--   topic    topic concerned, the first of all where it is the whole table
--   reason   ranks that do not start at 1 or repeat, scores that are all whole, grades that count up
with topics as (
    select
        topic,
        count(*) as num_rows,
        min(number) as least,
        arg_min(number, row) as first_number,
        max(number) as greatest,
        count(distinct number) as num_values,
        bool_and(number = trunc(number)) as are_whole
    from numbers
    group by topic
)
select
    min(topic) as topic,
    'the third column holds whole numbers alone, as grades and ranks are; a header such as topic,document,score says '
        || 'that they are scores' as reason
from topics
where $meaning = 'score'
having bool_and(are_whole)
union all
select
    min(topic) as topic,
    case
        when $meaning = 'grade'
            then 'the third column counts up from 1 in every topic, as ranks do; is it a run of MS MARCO?'
        else 'the third values count up from 1 in every topic, as ranks do; objects with topic, document and rank, or '
            || 'score, say what they are'
    end as reason
from topics
where $meaning in ('grade', 'value')
having
    bool_and(least = 1 and greatest = num_rows and num_values = num_rows and ($meaning = 'grade' or first_number = 1))
    and max(num_rows) >= 3
union all
select
    topic,
    concat(
        'topic ', topic,
        case
            when num_rows >= 3 and num_values * 2 <= num_rows then ' has the same ranks again and again, as grades are'
            else concat(' has no rank 1, its first is ', least)
        end,
        '; without a header the columns of a run are topic, document, rank and perhaps score, others need one such as ',
        'topic,document,score'
    ) as reason
from topics
where
    $meaning = 'rank'
    and (least > 1 or (num_rows >= 3 and num_values * 2 <= num_rows))
