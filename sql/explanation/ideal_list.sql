-- title: The judged documents of one topic in the order of their grades, at the scores of the list explained
-- inputs: graded, listed
-- columns:
--   list          the word ideal
--   topic_id      key of the topic
--   rank          rank from 1
--   tied_above    0: no documents are held equal
--   document_id   key of the document; those with a grade below 1 only as far down as the list goes
--   document      document
--   score         score that the list has at that rank, beyond its end its last one; 0 if it is empty
--   grade         its grade
with explained as (
    select
        rank,
        score
    from listed
    where list = 'run'
),
depths as (
    select coalesce(max(rank), 0) as depth
    from explained
),
ordered as (
    select
        graded.topic_id,
        graded.document_id,
        documents.document,
        graded.grade,
        row_number() over (order by graded.grade desc, documents.document) as rank
    from graded
    join documents using (document_id)
)
select
    'ideal' as list,
    ordered.topic_id,
    cast(ordered.rank as integer) as rank,
    0 as tied_above,
    ordered.document_id,
    ordered.document,
    coalesce(explained.score, 0) as score,
    ordered.grade
from ordered
cross join depths
left join explained on explained.rank = least(ordered.rank, depths.depth)
where
    ordered.grade >= 1
    or ordered.rank <= depths.depth
