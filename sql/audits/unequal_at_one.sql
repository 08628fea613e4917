-- title: Topics where P@1, Success@1 and RR@1 are not the same
-- parameters: rel
-- columns: finding
--   num_rows   1
-- definition: At the first rank all three are 1 if its document is relevant, else 0.
select
    concat(
        'run ', precision_at_one.run, ', topic ', precision_at_one.topic, ', judgments ', precision_at_one.qrels,
        ': P@1 is ', precision_at_one.value, ', Success@1 ', success_at_one.value, ', RR@1 ', reciprocal_at_one.value
    ) as finding,
    cast(1 as bigint) as num_rows
from p(k := 1, rel := $rel) as precision_at_one
join success(k := 1, rel := $rel) as success_at_one using (qrels, run, topic)
join rr(k := 1, rel := $rel) as reciprocal_at_one using (qrels, run, topic)
where
    precision_at_one.value <> success_at_one.value
    or precision_at_one.value <> reciprocal_at_one.value
