-- title: Shares of the first documents of runs that people judge and that a judge judges, where people judge far fewer
-- inputs: judged_scores
-- parameters:
--   reference varchar = ''   judgment set of the people
--   judge varchar = ''       judgment set of the judge
-- columns:
--   by_reference   share that people judge, a mean over runs and the topics of both sets
--   by_judge       share that the judge judges
-- definition: There is no row where people judge at least half of what the judge judges, as where they judge whole topics.
--     Below that the values by people are those of a few documents, all others being taken for not relevant.
select
    avg(people.value) as by_reference,
    avg(judged.value) as by_judge
from (from judged_scores) as people
join (from judged_scores) as judged using (run, topic, measure)
where people.qrels = $reference and judged.qrels = $judge
having 2 * avg(people.value) < avg(judged.value)
