-- title: RBP_residual expected over all orders of tied documents
-- definition: What RBP is not expected to have where every judged document counts as relevant.
-- parameters: p = 0.8, k
-- columns: qrels, run, topic, value
select
    qrels,
    run,
    topic,
    1 - value as value
from expected_rbp(p := $p, rel := 0, k := $k)
