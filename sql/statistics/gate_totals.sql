-- title: What whole runs cost, for the rules of a gate that ask for the total
-- inputs: gate_rules, candidate_topics
-- columns: run
--   measure   what the rule calls its values
--   value     the number given for the whole run, else the sum over the topics if each of them has one
-- definition: A sum over a part of the topics is no total, and then there is no value.
with named as (
    select distinct
        measure,
        measure_name
    from gate_rules
    where statistic = 'total'
)
select
    cost_summary.run,
    named.measure,
    cost_summary.total as value
from named
join cost_summary on concat('Cost(name=''', cost_summary.cost, ''')') = named.measure_name
where
    cost_summary.qrels in (select qrels from candidate_topics)
    and (cost_summary.whole_run is not null or cost_summary.missing is null)
