-- title: p values of each run with a baseline, by the test that is asked for
-- parameters: baseline, test, tolerance, samples, seed
-- columns:
--   qrels        judgment set
--   measure      canonical name of the measure
--   baseline     run compared with
--   run          run compared
--   test         which test
--   num_topics   topics that both have a value for
--   p            two-sided p value
--   note         what there is to say of it, such as identical, one topic; else null
-- definition: The rows of the relation of that test. To add a test, add a branch here and a word to the parameter.
select
    found.qrels,
    found.measure,
    found.baseline,
    found.run,
    't' as test,
    found.num_topics,
    found.p,
    found.note
from t_tests(baseline := $baseline) as found
where $test = 't'
union all
select
    found.qrels,
    found.measure,
    found.baseline,
    found.run,
    'wilcoxon' as test,
    found.num_topics,
    found.p,
    found.note
from wilcoxon_tests(baseline := $baseline) as found
where $test = 'wilcoxon'
union all
select
    found.qrels,
    found.measure,
    found.baseline,
    found.run,
    'sign' as test,
    found.num_topics,
    found.p,
    found.note
from sign_tests(baseline := $baseline, tolerance := $tolerance) as found
where $test = 'sign'
union all
select
    found.qrels,
    found.measure,
    found.baseline,
    found.run,
    'randomisation' as test,
    found.num_topics,
    found.p,
    found.note
from randomisation_tests(baseline := $baseline, samples := $samples, seed := $seed) as found
where $test = 'randomisation'
union all
select
    found.qrels,
    found.measure,
    found.baseline,
    found.run,
    'bootstrap' as test,
    found.num_topics,
    found.p,
    found.note
from bootstrap_intervals(baseline := $baseline, samples := $samples, seed := $seed) as found
where $test = 'bootstrap'
union all
select
    found.qrels,
    found.measure,
    found.baseline,
    found.run,
    'tukey' as test,
    found.num_topics,
    found.p,
    found.note
from tukey_hsd(baseline := $baseline, samples := $samples, seed := $seed) as found
where $test = 'tukey'
union all
-- In every key, since what a query neither reads nor compares is not evaluated.
select
    refused.complaint as qrels,
    refused.complaint as measure,
    refused.complaint as baseline,
    refused.complaint as run,
    null as test,
    null as num_topics,
    null as p,
    null as note
from (
    select cast(
        error('test is ' || $test || ', it must be t, wilcoxon, sign, randomisation, bootstrap or tukey') as varchar
    ) as complaint
) as refused
where $test not in ('t', 'wilcoxon', 'sign', 'randomisation', 'bootstrap', 'tukey')
