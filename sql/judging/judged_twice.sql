-- title: Documents that two judgment sets both judge
-- parameters: names, rel, reference
-- columns:
--   qrels         the reference, or the judgment set whose name comes first
--   other         the other one
--   topic         topic
--   document      document
--   rating        its grade by the first, or 1 for relevant and 0 for not
--   other_rating  the same by the other
-- definition: The reference with each of the judgment sets, or every pair of these, and every document with a grade of 0
--     or more in both.
select
    ratings.qrels,
    others.qrels as other,
    topics.topic,
    documents.document,
    ratings.rating,
    others.rating as other_rating
from ratings(names := coalesce($reference, $names), rel := $rel) as ratings
join ratings(names := $names, rel := $rel) as others
    on others.topic_id = ratings.topic_id
    and others.document_id = ratings.document_id
    and others.qrels <> ratings.qrels
    and ($reference is not null or others.qrels > ratings.qrels)
join topics on topics.topic_id = ratings.topic_id
join documents on documents.document_id = ratings.document_id
