-- title: How easy a task is, by the mean first relevant score (after Tomlinson 2005)
-- parameters: rel
-- columns: qrels
--   run            run that the rating is by; runs to compare tasks by should be alike
--   frs            mean FRS over the topics
--   rating         easiest from 0.80, medium from 0.60, hardest from 0.40, beyond hardest below that
--   found_at_10    topics with a relevant document among the first ten
--   num_topics     topics of the judgment set
--   success_at_10  share of the topics with one among the first ten
--   success_at_1   share of the topics with one at rank 1
with by_topic as (
    select
        frs.qrels,
        frs.run,
        frs.topic,
        frs.value as frs,
        among_ten.value as among_ten,
        first_one.value as first_one
    from frs(rel := $rel) as frs
    join success(k := 10, rel := $rel) as among_ten using (qrels, run, topic)
    join success(k := 1, rel := $rel) as first_one using (qrels, run, topic)
),
averages as (
    select
        qrels,
        run,
        sum(frs order by topic) / count(*) as frs,
        cast(sum(among_ten) as integer) as found_at_10,
        count(*) as num_topics,
        sum(among_ten) / count(*) as success_at_10,
        sum(first_one) / count(*) as success_at_1
    from by_topic
    group by qrels, run
)
select
    qrels,
    run,
    frs,
    case
        when frs >= 0.8 then 'easiest'
        when frs >= 0.6 then 'medium'
        when frs >= 0.4 then 'hardest'
        else 'beyond hardest'
    end as rating,
    found_at_10,
    num_topics,
    success_at_10,
    success_at_1
from averages
