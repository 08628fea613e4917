-- title: Pairs of members of the same family, each the topic of the others
-- inputs: members, queries
-- columns:
--   topic      member that is a query
--   document   another member of one of its families
select distinct
    queries.query as topic,
    others.member as document
from queries
join members on members.member = queries.query
join members as others using (family)
where others.member <> queries.query
