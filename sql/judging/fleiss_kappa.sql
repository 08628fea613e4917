-- title: Fleiss' kappa: how far several judgment sets agree beyond chance
-- parameters: names, rel
-- columns:
--   num_sets        judgment sets
--   num_documents   documents that all of them judge
--   agreement       mean share of pairs of sets that give a document the same grade
--   kappa           Fleiss' kappa; null where all documents have the same grade
-- definition: (P - C) / (1 - C), where P is the mean share of agreeing pairs and C the sum of the squares of the grades'
--     shares of all judgments. Documents that one of the sets does not judge are left out.
-- reference: Fleiss 1971, doi:10.1037/h0031619
with listed as (
    select count(*) as num_sets
    from named_qrels(names := $names)
),
rated as (
    select
        topic_id,
        document_id,
        rating,
        count(*) as num_judges
    from ratings(names := $names, rel := $rel)
    group by topic_id, document_id, rating
),
whole as (
    select
        rated.topic_id,
        rated.document_id,
        sum(rated.num_judges * (rated.num_judges - 1)) as num_agreeing
    from rated
    cross join listed
    group by rated.topic_id, rated.document_id, listed.num_sets
    having sum(rated.num_judges) = listed.num_sets
),
shares as (
    select
        rated.rating,
        sum(rated.num_judges) as num_judgments
    from rated
    join whole using (topic_id, document_id)
    group by rated.rating
),
chance as (
    select sum(pow(num_judgments, 2)) / pow(sum(num_judgments), 2) as agreement
    from shares
),
seen as (
    select
        listed.num_sets,
        count(whole.num_agreeing) as num_documents,
        cast(sum(whole.num_agreeing) as double)
            / nullif(count(whole.num_agreeing) * listed.num_sets * (listed.num_sets - 1), 0) as agreement
    from listed
    left join whole on true
    group by listed.num_sets
)
select
    seen.num_sets,
    seen.num_documents,
    seen.agreement,
    (seen.agreement - chance.agreement) / nullif(1 - chance.agreement, 0) as kappa
from seen
cross join chance
