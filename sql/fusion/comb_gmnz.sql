-- title: CombGMNZ: the sum of scores, times a power of how many runs retrieved the document
-- parameters: runs, norm, gamma
--   gamma double in [0, inf) = 1   power of the number of runs
-- columns: topic, document, score
-- definition: Sum of the scores, times the number of runs that retrieved the document to the power of gamma: 0 is
--     CombSUM, 1 CombMNZ.
-- reference: Lee 1997, Analyses of multiple evidence combination, doi:10.1145/258525.258587
with found as (
    select
        topic_id,
        document_id,
        sum(score order by place) as total,
        count(*) as num_runs
    from comparable_scores(runs := $runs, norm := $norm)
    group by topic_id, document_id
),
fused as (
    select
        topic_id,
        document_id,
        total * pow(num_runs, $gamma) as score
    from found
)
select
    topics.topic,
    documents.document,
    fused.score
from fused
join topics on topics.topic_id = fused.topic_id
join documents on documents.document_id = fused.document_id
