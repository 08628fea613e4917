-- title: New judgment sets in which nothing is relevant
-- inputs: new_ids
-- columns:
--   qrels            name of the set
--   num_judgments    judgments in it
--   greatest_grade   the best grade among them, below 1
-- definition: Preferences have no grades and are left out.
select
    qrels.qrels,
    count(*) as num_judgments,
    max(assessments.grade) as greatest_grade
from new_ids
join qrels
    on qrels.qrels_id = new_ids.id
join assessments
    on assessments.qrels_id = new_ids.id
group by qrels.qrels
having max(assessments.grade) < 1
