-- title: Which of the settings tried is best on the topics of the other folds, and what it is worth on its own
-- inputs: tried, parts
-- parameters:
--   less_is_better boolean = false   whether the least value of the measure is best
-- columns:
--   fold              fold; 0 is all topics together
--   candidate         number of the setting that is best on the topics of the other folds; of fold 0 on all topics
--   training_topics   topics it was chosen on
--   in_fold           mean over them
--   topics            topics of the fold, on which it was not chosen
--   out_of_fold       mean over them; of fold 0 over all topics, each with the setting of its fold
-- definition: Of settings with the same mean to 12 decimal places the one whose weights differ least is taken. Each topic
--     weighs the same.
with folds as (
    select distinct fold
    from parts
    union all
    select 0 as fold
),
training_means as (
    select
        folds.fold,
        tried.candidate,
        min(tried.setting) as setting,
        count(*) as training_topics,
        sum(tried.value order by tried.topic) / count(*) as mean
    from folds
    join parts on parts.fold <> folds.fold
    join tried using (topic)
    group by folds.fold, tried.candidate
),
chosen as (
    select
        fold,
        candidate,
        training_topics,
        mean
    from training_means
    qualify row_number() over (
        partition by fold
        order by
            round(case when $less_is_better then -mean else mean end, 12) desc,
            round(list_var_pop(cast(string_split(setting, ',') as double[])), 12),
            candidate
    ) = 1
),
held_out as (
    select
        parts.fold,
        tried.topic,
        tried.value
    from chosen
    join parts using (fold)
    join tried using (topic, candidate)
),
held_out_means as (
    select
        fold,
        count(*) as topics,
        sum(value order by topic) / count(*) as mean
    from held_out
    group by fold
    union all
    select
        0 as fold,
        count(*) as topics,
        sum(value order by topic) / count(*) as mean
    from held_out
)
select
    chosen.fold,
    chosen.candidate,
    chosen.training_topics,
    chosen.mean as in_fold,
    held_out_means.topics,
    held_out_means.mean as out_of_fold
from chosen
join held_out_means using (fold)
