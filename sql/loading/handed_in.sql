-- title: What other places found of the runs of a portion
-- definition: Facts that are a list are what handed_out has written.
-- inputs: portion, portion_runs
-- columns:
--   run_id             key of the run
--   k                  false positives
--   rel                least grade that counts as relevant
--   quantile           share of the topics, by weight, that must show k false positives
--   weighted           whether the weights of topics count
--   weight             weight of the topics with this candidate
--   comparison_score   the candidate, or the threshold, as the tie rule compares it
select
    portion_runs.run_id,
    unnest(
        cast(
            portion.facts as struct(
                k integer,
                rel integer,
                quantile double,
                weighted boolean,
                weight double,
                comparison_score double
            )[]
        ),
        recursive := true
    )
from portion
join portion_runs using (run)
where starts_with(portion.facts, '[')
