-- title: Runs and judgments to measure with, the same each time: every choice is a hash of system, topic and rank
-- 997 and 4001 are primes, so that steps of any length visit every document once.
create macro document_number(topic, place) as (topic * 7919 + place * 37) % 190000;

create macro document(number) as
    case number % 4
        when 2 then 'FBIS3-' || (10000 + number)
        when 3 then printf('clueweb12-%04dtw-%02d-%05d', number // 1000, number % 97, number % 100000)
        else lower(to_base(number * 14800007 + 1, 36, 8))
    end;

create macro chosen(below, a, b, c) as cast(hash(a, b, c) % below as bigint);

create macro place(system, topic, rank) as
    case
        when rank % 2 = 1 then
            ((1 + chosen(996, system, topic, 'a')) * (rank // 2) + chosen(997, system, topic, 'b')) % 997
        else
            997 + ((1 + chosen(4000, system, topic, 'c')) * (rank // 2) + chosen(4001, system, topic, 'd')) % 4001
    end;

create macro score(system, topic, rank) as
    printf(
        case when system % 5 = 0 then '%.2f' else '%.6f' end,
        1000.0 / (60 + rank - case when rank > 1 and chosen(10, system, topic, rank) = 0 then 1 else 0 end)
    );

create macro run_rows(system, topics, documents) as table
    select
        topic, 'Q0', document(document_number(topic, place(system, topic, rank))), rank,
        score(system, topic, rank), 'system' || lpad(cast(system as varchar), 4, '0')
    from (select i // documents + 1 as topic, i % documents + 1 as rank from range(topics * documents) as t(i));

create macro qrels_rows(topics, judged) as table
    select
        topic, 0, document(document_number(topic, place)),
        case chosen(10, topic, place, 'grade') when 0 then 2 when 1 then 1 when 2 then 1 when 3 then 1 else 0 end
    from (select i // judged + 1 as topic, i % judged * 2 as place from range(topics * judged) as t(i));
