-- title: Views and macros that the warehouse should have and has not
-- quick: yes
-- columns: finding
--   num_rows   1
-- definition: Each relation in the table relations is in the warehouse's file as a view or a macro, and each measure
--    in the catalogue is among them. A warehouse in memory asks those of the package.
with warehouses as (
    select
        databases.database_name,
        databases.path
    from duckdb_databases() as databases
    join duckdb_tables() as tables using (database_name)
    where
        tables.table_name = 'warehouse'
        and not tables.temporary
),
defined as (
    select
        database_name,
        view_name as relation
    from duckdb_views()
    union
    select
        database_name,
        function_name as relation
    from duckdb_functions()
    where function_type in ('macro', 'table_macro')
),
present as (
    select distinct defined.relation
    from defined
    join warehouses
        on warehouses.database_name = defined.database_name
        or warehouses.path is null
)
select
    concat(relations.relation, ', of kind ', relations.kind, ', is neither a view nor a macro') as finding,
    cast(1 as bigint) as num_rows
from relations
left join present using (relation)
where
    present.relation is null
    and relations.kind not in ('tables', 'keys')
union all
select
    concat('measure ', measures.measure, ': its relation ', measures.relation, ' is not in relations') as finding,
    cast(1 as bigint) as num_rows
from measures
left join relations
    on relations.relation = measures.relation
    and relations.kind = 'measures'
where relations.relation is null
