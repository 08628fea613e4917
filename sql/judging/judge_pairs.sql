-- title: How far each pair of judgment sets agrees, both ways round, so that a table or a heat map can be made of it
-- parameters: names, rel
-- columns: qrels
--   other           another one
--   num_documents   documents that both judge
--   agreement       share of them with the same grade
--   kappa           Cohen's kappa; null where both give all documents one and the same grade
--   place           place of the set from 1: those whose kappa with the others is highest on average come first
--   other_place     place of the other
-- definition: The rows of cohen_kappa, each twice. Pairs that judge no document both are left out.
with pairs as (
    select
        qrels,
        other,
        num_documents,
        agreement,
        kappa
    from cohen_kappa(names := $names, rel := $rel)
    union all
    select
        other as qrels,
        qrels as other,
        num_documents,
        agreement,
        kappa
    from cohen_kappa(names := $names, rel := $rel)
),
means as (
    select
        qrels,
        avg(kappa) as mean_kappa
    from pairs
    group by qrels
),
places as (
    select
        qrels,
        row_number() over (order by mean_kappa desc nulls last, qrels) as place
    from means
)
select
    pairs.qrels,
    pairs.other,
    pairs.num_documents,
    pairs.agreement,
    pairs.kappa,
    ours.place,
    theirs.place as other_place
from pairs
join places as ours using (qrels)
join places as theirs on theirs.qrels = pairs.other
