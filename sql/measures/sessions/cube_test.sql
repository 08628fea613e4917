-- measure: CubeTest
-- title: How far a session has filled the subtopics of its topic, for each call that it took
-- parameters: k, rel, gamma, max_height
--   k integer in [1, inf) = null         the first calls of the topic that count; null is all of them
--   gamma double in (0, 1] = 0.5         how much less a document is worth for each one before it on its subtopic
--   max_height double in (0, inf) = 5    gain at which a subtopic is full
-- definition: Each document, where the session first has it, adds gamma^n * grade to each subtopic that it is relevant to,
--    its grade there, n being 1 for the first of the subtopic's documents, 2 for the second and so on. A subtopic holds
--    max_height at most. What all subtopics hold, divided by max_height, by their number and by the number of calls; 0
--    where there are none. Subtopics are the iterations of the topic's judgments in which a document is relevant. A run
--    without calls has one.
-- reference: Luo, Wing, Yang and Hearst 2013, The water filling model and the cube test: multi-dimensional evaluation for
--    professional search, doi:10.1145/2505515.2523648
-- differs: Equal to cubetest.py of the TREC Dynamic Domain track, which sums the ratings of a document's passages on a
--    subtopic to its grade there, and also counts calls that found nothing, which are not held here.
-- range: 0 1
-- mean: arithmetic
-- holes: none, which subtopics a hole has is as open as whether it has any
-- scores: no
-- example: cube CubeTest = 0.1333
-- example: cube CubeTest@2 = 0.15
with found as (
    select
        session_ranks.evaluation_id,
        session_ranks.call,
        assessments.iteration as subtopic,
        pow($gamma, row_number() over (
            partition by session_ranks.evaluation_id, assessments.iteration
            order by session_ranks.call, session_ranks.rank
        )) * assessments.grade as gain
    from session_ranks
    join asked_evaluations() as evaluations using (evaluation_id)
    join assessments
        on assessments.qrels_id = evaluations.qrels_id
        and assessments.topic_id = evaluations.topic_id
        and assessments.document_id = session_ranks.document_id
    where
        session_ranks.is_first
        and assessments.grade >= $rel
),
heights as (
    select
        found.evaluation_id,
        cutoffs.k,
        found.subtopic,
        least(fsum(found.gain), $max_height) as height
    from found
    join cutoffs(k := $k) as cutoffs on found.call <= cutoffs.last_rank
    group by found.evaluation_id, cutoffs.k, found.subtopic
),
filled as (
    select
        heights.evaluation_id,
        heights.k,
        fsum(heights.height) as total
    from heights
    group by heights.evaluation_id, heights.k
),
times as (
    select
        session_calls.run_id,
        session_calls.topic_id,
        cutoffs.k,
        count(*) as num_calls
    from session_calls
    join cutoffs(k := $k) as cutoffs on session_calls.call <= cutoffs.last_rank
    group by session_calls.run_id, session_calls.topic_id, cutoffs.k
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    cutoffs.k,
    coalesce(filled.total / ($max_height * subtopic_counts.num_subtopics * times.num_calls), 0) as value
from evaluated_topics
cross join cutoffs(k := $k) as cutoffs
left join filled
    on filled.evaluation_id = evaluated_topics.evaluation_id
    and filled.k is not distinct from cutoffs.k
left join times
    on times.run_id = evaluated_topics.run_id
    and times.topic_id = evaluated_topics.topic_id
    and times.k is not distinct from cutoffs.k
left join subtopic_counts(rel := $rel) as subtopic_counts
    on subtopic_counts.qrels_id = evaluated_topics.qrels_id
    and subtopic_counts.topic_id = evaluated_topics.topic_id
