-- title: The topics of whose answers by a run nuggets or citations were judged
-- columns: qrels_id, run_id, topic_id
--   kind   what was judged: nuggets that the answer holds, or citations; a topic may have both
select distinct
    qrels_id,
    run_id,
    topic_id,
    'nuggets' as kind
from nugget_assignments
union all
select distinct
    qrels_id,
    run_id,
    topic_id,
    'citations' as kind
from answer_citations
