-- title: The mean of every measure over all topics of the judgments
-- columns:
--   qrels        judgment set
--   run          run
--   measure      canonical name of the measure
--   value        mean over the topics; for counts the sum, for measures that say so the geometric mean
--   num_topics   topics averaged: all of the judgment set, those the run leaves out among them
select
    scores.qrels,
    scores.run,
    scores.measure,
    case
        when measures.mean = 'sum' then sum(scores.value order by scores.topic)
        when measures.mean = 'arithmetic' then sum(scores.value order by scores.topic) / count(*)
        when min(scores.value) <= 0 then 0
        else exp(sum(ln(case when scores.value > 0 then scores.value else 1 end) order by scores.topic) / count(*))
    end as value,
    count(*) as num_topics
from scores
join measures on measures.measure = regexp_extract(scores.measure, '^[^(@]+')
group by scores.qrels, scores.run, scores.measure, measures.mean
