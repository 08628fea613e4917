-- title: What is to be said of new judgment sets in which nothing is relevant
-- inputs: new_ids
-- columns:
--   place    1 for the first line
--   remark   a line on a set
-- definition: Preferences have no grades and are left out.
select
    row_number() over (order by qrels.qrels) as place,
    concat(
        'judgments ', qrels.qrels, ': nothing is relevant, as the best of ', count_of(count(*), 'grade'), ' is ',
        max(assessments.grade), ' and 1 is the least that counts; is the column of grades the right one?'
    ) as remark
from new_ids
join qrels
    on qrels.qrels_id = new_ids.id
join assessments
    on assessments.qrels_id = new_ids.id
group by qrels.qrels
having max(assessments.grade) < 1
