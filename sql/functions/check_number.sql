-- title: Null where a number is in the range that a parameter takes; else an error
-- parameters:
--   number any = null         the number that is given
--   name varchar = null       the parameter's name
--   least any = null          the least number that it takes, as text
--   most any = null           the greatest, as text
--   expected varchar = null   the range in words; "or null" ends it where the parameter takes that too
-- definition: It is between the two, or null where the range has null. check_numbers would say the same in three times
--     as long, and a measure has several such parameters.
case
    when
        cast($number as double) between $least and $most
        or ($number is null and $expected like '%null')
        then null
    else error(concat($name, ' is ', coalesce(cast($number as varchar), 'null'), ', but must be ', $expected))
end
