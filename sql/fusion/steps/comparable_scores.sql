-- title: Scores of the runs to be fused, made comparable within each topic
-- parameters: runs, weights, norm
-- columns:
--   place         place of the run in the list, from 1
--   weight        its weight
--   topic_id      key of the topic
--   document_id   key of the document; under borda of every document that any of the runs retrieved for the topic
--   score         its score, more being better
-- definition: Of the n documents of a run and topic, s being the score, with its sign turned where lower is better:
--     min-max (s - min) / (max - min); max s / max, or s / 1e-9 where max is less; sum (s - min) / sum of (s - min);
--     z-score (s - mean) / standard deviation; rank 1 - (rank - 1) / n; borda the points of borda_points, divided by
--     the number of candidates; none s itself. 0 where all scores are equal and that would divide by 0.
-- reference: Lee 1997, doi:10.1145/258525.258587; Montague and Aslam 2001, Relevance score normalization for
--     metasearch, doi:10.1145/502585.502657; Renda and Straccia 2003, doi:10.1145/952532.952698
-- differs: ranx divides by 1e-9 at least, so that scores that differ by less are squeezed together; here they are not
with scored as (
    select
        listed.place,
        listed.weight,
        retrieved.topic_id,
        retrieved.document_id,
        retrieved.rank,
        case when listed.lower_is_better then -retrieved.score else retrieved.score end as score
    from known_runs(runs := $runs, weights := $weights) as listed
    join retrieved using (run_id)
    where $norm <> 'borda'
),
totals as (
    select
        place,
        topic_id,
        count(*) as num_ret,
        min(score) as least,
        max(score) as greatest,
        sum(score order by rank) as total
    from scored
    group by place, topic_id
),
spreads as (
    select
        scored.place,
        scored.topic_id,
        sqrt(sum(pow(scored.score - totals.total / totals.num_ret, 2) order by scored.rank) / max(totals.num_ret))
            as deviation
    from scored
    join totals using (place, topic_id)
    where $norm = 'z-score'
    group by scored.place, scored.topic_id
)
select
    scored.place,
    scored.weight,
    scored.topic_id,
    scored.document_id,
    case
        when $norm = 'none' then scored.score
        when $norm = 'rank' then 1 - (scored.rank - 1) / cast(totals.num_ret as double)
        when $norm = 'max' then scored.score / greatest(totals.greatest, 1e-9)
        when totals.least = totals.greatest then 0
        when $norm = 'min-max' then (scored.score - totals.least) / (totals.greatest - totals.least)
        when $norm = 'sum' then (scored.score - totals.least) / (totals.total - totals.least * totals.num_ret)
        else (scored.score - totals.total / totals.num_ret) / spreads.deviation
    end as score
from scored
join totals using (place, topic_id)
left join spreads using (place, topic_id)
union all
select
    place,
    weight,
    topic_id,
    document_id,
    points / num_candidates as score
from borda_points(runs := $runs, weights := $weights)
where $norm = 'borda'
