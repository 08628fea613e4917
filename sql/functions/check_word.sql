-- title: Null where a word is one of those that a parameter takes; else an error that names them
-- parameters:
--   word varchar = null    the word that is given
--   name varchar = null    the parameter's name
--   words varchar = null   the words it takes, with a comma and a blank between them
-- definition: The text of words, taken apart at its commas, has the word.
case
    when list_contains(string_split($words, ', '), $word) then null
    else error(concat(
        $name, ' is ', coalesce($word, 'null'), ', but must be ', regexp_replace($words, ', ([^,]+)$', ' or \1')
    ))
end
