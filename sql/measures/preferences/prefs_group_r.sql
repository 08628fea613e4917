-- measure: PrefsGroupR
-- title: Share of the preferences that are fulfilled, with as many documents not relevant as relevant
-- trec_eval: prefs_avgjg_Rnonrel
-- trec_eval: prefs_avgjg_Rnonrel_ret(pairs='retrieved')
-- ties: worst, best, expected = tied_prefs_group_r
-- parameters: pairs, ties
--   pairs varchar in {all, retrieved} = all   preferences that count: all; those with both documents retrieved
-- definition: For each judgment group the preferences fulfilled divided by those that count, and the mean of
--    that over the topic's groups; 0 if in any of them none counts. With R documents relevant (level above 0)
--    and N not, among those retrieved where pairs is retrieved, R (R - N) preferences that hold are added to a
--    group with R > N: a relevant document fulfils R - N of them if it is retrieved. With N > R, of the
--    documents at the lowest level only the first R count, those not retrieved coming last; in a group of one
--    subgroup each document there is then compared with each of these R as well, as if preferred to it.
-- reference: trec_eval 10.0, measure prefs_avgjg_Rnonrel
-- differs: From all measures but those of preferences: tied documents are in ascending order of their names.
--    So they are in trec_eval 9.0.8 and 10.0, to which this is equal, with the comparisons within the lowest
--    level, of which their help says nothing, and with 0 where a group has 0/0; but 9.0.8 has levels as 32-bit
--    floats, and where R is greater than the number of documents at a lowest level below 0, both read past the
--    end of these, while here all of them count.
-- range: 0 1
-- mean: arithmetic
-- holes: none, a hole may be preferred to any document or none
-- scores: no
-- example: preferences PrefsGroupR = 0.2784
with averages as (
    select
        evaluation_id,
        case
            when min(num_prefs) = 0 then 0
            else avg(num_fulfilled / nullif(num_prefs, 0))
        end as value
    from balanced_preferences(pairs := $pairs)
    group by evaluation_id
)
select
    evaluated_topics.qrels,
    evaluated_topics.run,
    evaluated_topics.topic,
    coalesce(averages.value, 0) as value
from evaluated_topics
left join averages using (evaluation_id)
