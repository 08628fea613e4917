-- title: Cohen's kappa: how far two judgment sets agree beyond chance
-- parameters: names, rel, disagreement, reference
--   disagreement varchar in {equal, linear, quadratic} = equal   what two grades that differ count: the same whatever
--                                   they are, their difference, or its square
-- columns:
--   qrels           the reference, or the judgment set whose name comes first
--   other           the other one
--   num_documents   documents that both judge
--   agreement       share of them with the same grade
--   kappa           Cohen's kappa; null where both give all documents one and the same grade
-- definition: 1 - D / E, where D is the mean disagreement of the two on a document, and E what it would be if each gave
--     its grades to documents drawn by lot.
-- reference: Cohen 1960, doi:10.1177/001316446002000104; Cohen 1968, doi:10.1037/h0026256
-- differs: scikit-learn takes the places of grades in their list in the place of the grades, if none is left out the same
with counts as (
    select *
    from confusion_table(names := $names, rel := $rel, reference := $reference)
),
firsts as (
    select
        qrels,
        other,
        rating,
        sum(num_documents) as num_documents
    from counts
    group by qrels, other, rating
),
seconds as (
    select
        qrels,
        other,
        other_rating,
        sum(num_documents) as num_documents
    from counts
    group by qrels, other, other_rating
),
-- Every pair of grades that the two give, with the documents that have it and those that would have it by lot.
grade_pairs as (
    select
        firsts.qrels,
        firsts.other,
        coalesce(counts.num_documents, 0) as num_documents,
        firsts.num_documents * seconds.num_documents as num_by_chance,
        firsts.rating = seconds.other_rating as is_equal,
        case
            when firsts.rating = seconds.other_rating then 0
            when $disagreement = 'equal' then 1
            when $disagreement = 'linear' then abs(firsts.rating - seconds.other_rating)
            when $disagreement = 'quadratic' then pow(firsts.rating - seconds.other_rating, 2)
        end as distance
    from firsts
    join seconds using (qrels, other)
    left join counts using (qrels, other, rating, other_rating)
),
sums as (
    select
        qrels,
        other,
        sum(num_documents) as num_documents,
        sum(case when is_equal then num_documents else 0 end) as num_equal,
        sum(num_documents * distance) as disagreement_seen,
        sum(num_by_chance * distance) as disagreement_by_chance
    from grade_pairs
    group by qrels, other
)
select
    qrels,
    other,
    cast(num_documents as bigint) as num_documents,
    num_equal / num_documents as agreement,
    1 - cast(disagreement_seen as double) * num_documents / nullif(cast(disagreement_by_chance as double), 0) as kappa
from sums
