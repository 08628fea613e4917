-- title: Null where a number is in the range that a parameter takes; else an error
-- parameters:
--   number any = null       the number that is given
--   name varchar = null     the parameter's name
--   least any = null        the least number that it takes, as text
--   most any = null         the greatest, as text
--   domain varchar = null   the range as text, such as (0, 1]; "or null" at its end says that it takes null
-- definition: It is between the two, or null where the range has null.
case
    when
        cast($number as double) between $least and $most
        or ($number is null and $domain like '%null')
        then null
    else error(concat($name, ' is ', coalesce(cast($number as varchar), 'null'), ', it must be in ', $domain))
end
