-- title: The gains of a topic's judged documents in the best possible order
-- shared: yes
-- parameters: dcg, gains, min_rel, max_rel
--   min_rel integer in [0, inf) = 0          grade up to which dcg gives 0, and less by it to those above
--   max_rel integer in [0, inf) = null       grade that dcg takes greater ones for; null is none
-- columns: qrels_id, topic_id
--   rank   rank in the ideal ranking, which holds positive gains only
--   gain   gain of the document there
select
    judged_documents.qrels_id,
    judged_documents.topic_id,
    row_number() over (
        partition by judged_documents.qrels_id, judged_documents.topic_id
        order by grade_gains.gain desc
    ) as rank,
    grade_gains.gain
from judged_documents
join grade_gains(dcg := $dcg, gains := $gains, min_rel := $min_rel, max_rel := $max_rel) as grade_gains using (grade)
where grade_gains.gain > 0
