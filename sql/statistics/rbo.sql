-- title: Rank-biased overlap of two runs, topic by topic
-- parameters: p, depth, baseline, run
--   depth integer in [1, inf) = null   documents taken of each ranking; null is all
--   baseline varchar = null   run compared with; null: every run
-- columns: baseline, run
--   topic         topic that either has documents for
--   baseline_ret  documents taken of the baseline; 0 for a topic it leaves out
--   num_ret       documents taken of the run
--   rbo_min       least overlap that the rankings could have if they went on: what was seen, nothing more
--   rbo_res       residual: how much more it could be at most
--   rbo_ext       overlap extrapolated: it goes on as it was seen
-- definition: Sum over depths d without end of (1 - p) p^(d - 1) X_d / d, X_d being the documents among the first d of
--     both. Of rankings that end, the least, the residual and the extrapolated value by equations 11, 30 and 32 of the
--     paper, so written that each shared document has a weight. Rankings are total orders under the tie rule that the
--     run was loaded with. Of a topic that one run leaves out nothing is known: 0 with the residual 1.
-- reference: Webber, Moffat and Zobel 2010, A similarity measure for indefinite rankings, doi:10.1145/1852102.1852106
-- differs: Programs that give for the least value the sum down to the end of the rankings lack what equation 11 adds for
--     the shared documents at all depths below
with seen as (
    select
        common_documents.baseline_id,
        common_documents.run_id,
        common_documents.topic_id,
        count(*) as num_common,
        count(case when common_documents.in_shorter then 1 end) as num_in_shorter,
        -- A sum in an order: the same to the last digit whenever it is asked for.
        sum(coalesce(rbo_weights.shared, 0) order by common_documents.place) as total
    from common_documents(baseline := $baseline, run := $run, depth := $depth) as common_documents
    left join rbo_weights(p := $p) as rbo_weights on rbo_weights.place = common_documents.place
    group by
        common_documents.baseline_id,
        common_documents.run_id,
        common_documents.topic_id
),
lengths as (
    select
        lists.baseline as baseline_name,
        lists.run as other_name,
        lists.topic_id,
        lists.baseline_ret,
        lists.num_ret,
        least(lists.baseline_ret, lists.num_ret) as shorter,
        greatest(lists.baseline_ret, lists.num_ret) as longer,
        coalesce(seen.num_common, 0) as num_common,
        coalesce(seen.num_in_shorter, 0) as num_in_shorter,
        coalesce(seen.total, 0) as total
    from compared_lists(baseline := $baseline, run := $run, depth := $depth) as lists
    left join seen
        on seen.baseline_id = lists.baseline_id
        and seen.run_id = lists.run_id
        and seen.topic_id = lists.topic_id
),
-- A row that no filter leaves out: whatever is read of it is the error.
unknown as (
    select error('baseline is ' || asked.baseline || ', and no run is called so') as told
    from (select $baseline as baseline) as asked
    where asked.baseline not in (select runs.run from runs)
)
select
    lengths.baseline_name as baseline,
    lengths.other_name as run,
    topics.topic,
    lengths.baseline_ret,
    lengths.num_ret,
    least(lengths.total, 1) as rbo_min,
    greatest(
        coalesce(below_shorter.below, 0) + coalesce(below_longer.below, 0) - coalesce(below_all.below, 0),
        0
    ) as rbo_res,
    least(
        lengths.total
        + coalesce(lengths.num_in_shorter * below_shorter.below / nullif(lengths.shorter, 0), 0)
        + coalesce((lengths.num_common - lengths.num_in_shorter) * below_longer.below / lengths.longer, 0),
        1
    ) as rbo_ext
from lengths
join topics on topics.topic_id = lengths.topic_id
left join rbo_weights(p := $p) as below_shorter on below_shorter.place = lengths.shorter
left join rbo_weights(p := $p) as below_longer on below_longer.place = lengths.longer
left join rbo_weights(p := $p) as below_all
    on below_all.place = lengths.shorter + lengths.longer - lengths.num_common
union all
select
    cast(unknown.told as varchar),
    cast(unknown.told as varchar),
    cast(unknown.told as varchar),
    cast(unknown.told as integer),
    cast(unknown.told as integer),
    cast(unknown.told as double),
    cast(unknown.told as double),
    cast(unknown.told as double)
from unknown
