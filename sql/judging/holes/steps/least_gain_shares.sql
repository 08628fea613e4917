-- title: The least share of the ideal gain, whatever grades the unjudged documents have
-- parameters: k, dcg, gains, most, unseen, discounted
--   discounted boolean = true   whether a rank weighs 1 / log2(rank + 1); else each weighs 1
-- columns:
--   evaluation_id   key of the evaluation
--   share           gain divided by ideal gain, 0 where the ideal is 0
-- definition: The share is a linear function of the gains of holes divided by a convex one, and so is least where each
--    hole has no gain or the greatest. With their number given, those with the greatest are the lowest ones. Everything
--    unseen has it as well. Extremes over the number of holes that have it. The ideal gain is, for each step of gain,
--    its height times the weights of as many first ranks as there are documents with this gain or more.
with numbers as (
    select
        evaluation_id,
        from_below as num_new,
        below as added
    from weighted_holes(k := $k, discounted := $discounted)
    union all
    select
        evaluation_id,
        0 as num_new,
        0 as added
    from asked_evaluations()
),
ideals as (
    select
        numbers.evaluation_id,
        numbers.num_new,
        numbers.added,
        sum(steps.height * first_rank_sums.total) as ideal,
        coalesce(max(case when steps.of_holes then steps.gain end), 0) as gain
    from numbers
    join hole_counts(k := $k, unseen := $unseen) as counts on counts.evaluation_id = numbers.evaluation_id
    join asked_evaluations() as evaluations on evaluations.evaluation_id = numbers.evaluation_id
    join documents_by_gain(dcg := $dcg, gains := $gains, most := $most) as steps
        on steps.qrels_id = evaluations.qrels_id
        and steps.topic_id = evaluations.topic_id
    join first_rank_sums(k := $k, discounted := $discounted, unseen := $unseen) as first_rank_sums
        on first_rank_sums.num_documents = least(
            coalesce($k, 2147483647),
            steps.num_documents + case when steps.of_holes then counts.num_unseen + numbers.num_new else 0 end
        )
    group by numbers.evaluation_id, numbers.num_new, numbers.added
)
select
    gains_and_ideals.evaluation_id,
    min(coalesce((gains_and_ideals.gained + ideals.gain * ideals.added) / nullif(ideals.ideal, 0), 0)) as share
from gains_and_ideals(k := $k, dcg := $dcg, gains := $gains, discounted := $discounted) as gains_and_ideals
left join ideals on ideals.evaluation_id = gains_and_ideals.evaluation_id
group by gains_and_ideals.evaluation_id
