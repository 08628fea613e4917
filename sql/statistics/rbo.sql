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
with recursive longest as (
    select 2 * max(num_ret) as length
    from run_topics
),
depths as (
    -- Each step doubles what there is: 1, then 2 and 3, then 4 to 7. Below 1e-20 nothing is left of p^(d - 1).
    select 1 as place
    union all
    select 2 * depths.place + halves.half as place
    from depths
    join (select 0 as half union all select 1 as half) as halves
        on (2 * depths.place + halves.half) * ln($p) > -46.1
    join longest on longest.length >= 2 * depths.place + halves.half
),
terms as (
    select
        place,
        (1 - $p) * pow($p, place - 1) / place as term
    from depths
    union all
    select
        0 as place,
        0 as term
),
sums as (
    select
        place,
        term,
        -- Of all places from this one on, those beyond the last as well: the sum without end is -ln(1 - p) / p.
        sum(term) over (order by place desc rows between unbounded preceding and current row)
        + greatest(-(1 - $p) * ln(1 - $p) / $p - sum(term) over (), 0) as shared
    from terms
),
weights as (
    select
        place,
        shared,  -- what a document weighs that both have from this place on
        greatest(pow($p, place) - place * (shared - term), 0) as below  -- where no document above is in both
    from sums
),
lists as (
    select
        compared.baseline_id,
        compared.run_id,
        compared.topic_id,
        compared.baseline_ret,
        compared.num_ret,
        least(compared.baseline_ret, compared.num_ret) as shorter,
        greatest(compared.baseline_ret, compared.num_ret) as longer,
        count(compared.place) as num_common,
        count(case when compared.place <= least(compared.baseline_ret, compared.num_ret) then 1 end) as num_in_shorter,
        -- The order makes the sum the same to the last digit each time.
        coalesce(sum(weights.shared order by compared.place), 0) as total
    from compared_lists(baseline := $baseline, run := $run, depth := $depth) as compared
    left join weights using (place)
    group by compared.baseline_id, compared.run_id, compared.topic_id, compared.baseline_ret, compared.num_ret
)
select
    base.run as baseline,
    other.run,
    topics.topic,
    lists.baseline_ret,
    lists.num_ret,
    least(lists.total, 1) as rbo_min,
    greatest(
        coalesce(below_shorter.below, 0) + coalesce(below_longer.below, 0) - coalesce(below_all.below, 0),
        0
    ) as rbo_res,
    least(
        lists.total
        + coalesce(lists.num_in_shorter * below_shorter.below / nullif(lists.shorter, 0), 0)
        + coalesce((lists.num_common - lists.num_in_shorter) * below_longer.below / lists.longer, 0),
        1
    ) as rbo_ext
from lists
join runs as base on base.run_id = lists.baseline_id
join runs as other on other.run_id = lists.run_id
join topics on topics.topic_id = lists.topic_id
left join weights as below_shorter on below_shorter.place = lists.shorter
left join weights as below_longer on below_longer.place = lists.longer
left join weights as below_all on below_all.place = lists.shorter + lists.longer - lists.num_common
