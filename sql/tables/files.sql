-- title: The files that runs and judgments came from
-- columns:
--   kind         run, costs, qrels, weights, documents, topics. with the key of the texts or groups that it gave, as in topics.text, or assignments. or citations. with the qrels_id of the nuggets
--   id           run_id or qrels_id; costs belong to a run, weights, texts and groups belong to a judgment set, and texts of documents to none: 0
--   file         path as it was given, or a word for data that was not a file
--   sha256       SHA-256 of the file's bytes as stored (compressed, if it was), null for data in memory
--   bytes        size of the file in bytes, null for data in memory
--   num_rows     rows in it; of texts and groups those of topics that are judged, of texts of documents those that were kept
create table files (
    kind varchar not null,
    id integer not null,
    file varchar not null,
    sha256 varchar,
    bytes bigint,
    num_rows bigint not null
);
