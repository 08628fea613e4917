-- title: Null where a number, or each of a list of them, is in the range that a parameter takes; else an error
-- parameters:
--   numbers any = null        the number or the list that is given
--   name varchar = null       the parameter's name
--   least any = null          the least number that it takes, as text
--   most any = null           the greatest, as text
--   expected varchar = null   the range in words; "or null" ends it where the parameter takes that too
-- definition: The least of the list is not below the range, and the greatest not above. A null in a list is passed.
case
    when
        list_min(try_cast(string_split(trim(cast($numbers as varchar), '[]'), ', ') as double[])) < $least
        or list_max(try_cast(string_split(trim(cast($numbers as varchar), '[]'), ', ') as double[])) > $most
        or ($numbers is null and $expected not like '%null')
        then error(concat($name, ' is ', coalesce(cast($numbers as varchar), 'null'), ', but must be ', $expected))
end
