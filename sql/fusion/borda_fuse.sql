-- title: Borda's count
-- parameters: runs, weights
-- columns: topic, document, score
-- definition: Sum over all runs of weight times points: of c documents that any run retrieved for the topic the first
--     has c points, the next c - 1, and so on; those that the run did not retrieve share the points left over equally.
-- reference: Aslam and Montague 2001, Models for metasearch, doi:10.1145/383952.384007
select
    topics.topic,
    documents.document,
    sum(listed.weight * listed.points order by listed.place) as score
from borda_points(runs := $runs, weights := $weights) as listed
join topics using (topic_id)
join documents on documents.document_id = listed.document_id
group by topics.topic, documents.document
