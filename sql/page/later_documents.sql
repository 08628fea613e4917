-- title: Where the relevant documents that one ranking has among its first stand further down in the others
-- inputs: chosen_lists
-- parameters:
--   depth integer in [1, inf) = 20   how many documents are a ranking's first
-- columns: topic
--   list       name of the run
--   rank       rank, below the first documents
--   document   document that is among the first of another one of these rankings
with relevant as (
    select
        chosen_lists.list,
        chosen_lists.topic,
        judged_ranks.rank,
        judged_ranks.document_id
    from chosen_lists
    join judged_ranks using (evaluation_id)
    where judged_ranks.grade >= 1
),
first_ones as (
    select distinct
        topic,
        document_id
    from relevant
    where rank <= $depth
)
select
    relevant.topic,
    relevant.list,
    relevant.rank,
    documents.document
from relevant
join first_ones using (topic, document_id)
join documents using (document_id)
where relevant.rank > $depth
