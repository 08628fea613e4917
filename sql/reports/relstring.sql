-- title: The grades of the first documents of each ranking, a character each
-- parameters:
--   length integer in [0, inf) = 10   how many documents
-- columns: qrels, run, topic
--   relstring   0 to 9 for the grade, > for a greater one, . for a negative one, - for no judgment
with shown as (
    select
        evaluated_topics.evaluation_id,
        retrieved.rank,
        case
            when judged_ranks.grade > 9 then '>'
            when judged_ranks.grade >= 0 then cast(judged_ranks.grade as varchar)
            when judged_ranks.grade < 0 then '.'
            else '-'
        end as sign
    from evaluated_topics
    join asked_retrieved() as retrieved
        on retrieved.run_id = evaluated_topics.run_id
        and retrieved.topic_id = evaluated_topics.topic_id
        and retrieved.rank <= $length
    left join asked_ranks() as judged_ranks
        on judged_ranks.evaluation_id = evaluated_topics.evaluation_id
        and judged_ranks.rank = retrieved.rank
),
strings as (
    select
        evaluation_id,
        string_agg(sign, '' order by rank) as relstring
    from shown
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(strings.relstring, '') as relstring
from evaluated_topics
left join strings using (evaluation_id)
