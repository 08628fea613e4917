-- title: p values of each run with a baseline, by the test that is asked for
-- parameters: baseline, test, tolerance, samples, seed
-- columns: qrels, measure, baseline, run
--   test         which test
--   num_topics   topics that both have a value for
--   p            two-sided p value
--   note         what there is to say of it, such as identical, one topic; else null
-- definition: The rows of the relation of that test. To add a test, add its rows here and their name to the parameter.
with t as (
    select * from t_tests(baseline := $baseline)
),
wilcoxon as (
    select * from wilcoxon_tests(baseline := $baseline)
),
sign as (
    select * from sign_tests(baseline := $baseline, tolerance := $tolerance)
),
randomisation as (
    select * from randomisation_tests(baseline := $baseline, samples := $samples, seed := $seed)
),
bootstrap as (
    select * from bootstrap_intervals(baseline := $baseline, samples := $samples, seed := $seed)
),
tukey as (
    select * from tukey_hsd(baseline := $baseline, samples := $samples, seed := $seed)
)
-- The engine plans the one that is named.
select
    found.qrels,
    found.measure,
    found.baseline,
    found.run,
    $test as test,
    found.num_topics,
    found.p,
    found.note
from query_table($test) as found
