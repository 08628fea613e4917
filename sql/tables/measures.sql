-- title: The catalogue of measures, one row each
-- columns:
--   measure      name, in ir_measures' spelling
--   relation     the view and the table macro that give its values
--   title        what it is, in a line
--   aliases      other names it is known by, comma separated
--   parameters   the macro's parameters with their defaults
--   definition   the formula in words and symbols
--   reference    where it is defined
--   differs      where other programs give another number, and why
--   range        least and greatest value
--   mean         how topics are averaged: arithmetic, weighted (by the topics' weights), geometric or sum
--   example      a golden case and its value
create table measures (
    measure varchar not null,
    relation varchar not null,
    title varchar not null,
    aliases varchar not null,
    parameters varchar not null,
    definition varchar not null,
    reference varchar not null,
    differs varchar not null,
    range varchar not null,
    mean varchar not null,
    example varchar not null
);
