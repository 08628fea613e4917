-- title: How many pairs members of the same family make, counted before they are made
-- inputs: members, queries
-- columns:
--   num_pairs   pairs of a query and a member of one of its families, 0 without any
with families as (
    select
        members.family,
        count(*) as num_members,
        count(queries.query) as num_queries
    from members
    left join queries on queries.query = members.member
    group by members.family
)
select coalesce(sum(num_queries * num_members), 0) as num_pairs
from families
