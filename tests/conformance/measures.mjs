// Measures of trec_eval in JavaScript, which share nothing with the rest: node measures.mjs CASES > values.tsv
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const lines = (path) => readFileSync(path, "utf8").split("\n").filter((line) => line.trim());
const byBytes = (one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other));

function judgmentsOf(name) {
  const grades = new Map();
  for (const line of lines(join(folder, name, "qrels.txt"))) {
    const [topic, , document, grade] = line.trim().split(/\s+/);
    if (!grades.has(topic)) grades.set(topic, new Map());
    grades.get(topic).set(document, Number(grade));
  }
  return grades;
}

function rankingsOf(name) {
  const rows = new Map();
  for (const line of lines(join(folder, name, "run.txt"))) {
    const [topic, , document, , score] = line.trim().split(/\s+/);
    if (!Number.isFinite(Number(score))) throw new Error(`${document} has the score ${score}`);
    if (!rows.has(topic)) rows.set(topic, []);
    if (rows.get(topic).some((row) => row.document === document)) throw new Error(`${document} stands twice`);
    rows.get(topic).push({ document, score: Math.fround(Number(score)) });
  }
  for (const ranking of rows.values()) {
    ranking.sort((a, b) => (a.score === b.score ? byBytes(b.document, a.document) : b.score > a.score ? 1 : -1));
  }
  return rows;
}

const sum = (numbers) => numbers.reduce((total, each) => total + each, 0);
const dcg = (gains) => sum(gains.map((gain, at) => Math.max(gain, 0) / Math.log2(at + 2)));
const share = (part, all) => (all ? part / all : 0);

function bpref({ all, judged, numRel }) {
  const others = judged.filter((grade) => grade === 0).length;
  let above = 0;
  let total = 0;
  for (const grade of all) {
    if (grade >= 1) total += above ? 1 - Math.min(above, numRel) / Math.min(others, numRel) : 1;
    else if (grade === 0) above += 1;
  }
  return share(total, numRel);
}

function err({ first }) {
  let reached = 1;
  let total = 0;
  first.forEach((grade, at) => {
    const stops = (2 ** Math.max(grade, 0) - 1) / 16;
    total += (reached * stops) / (at + 1);
    reached *= 1 - stops;
  });
  return total;
}

const precisions = ({ hits }) => sum(hits.map((rank, at) => (at + 1) / rank));
const measures = {
  P: ({ hits, k }) => hits.length / k,
  R: ({ hits, numRel }) => share(hits.length, numRel),
  F: ({ hits, k, numRel }) => share(2 * hits.length, k + numRel),
  AP: (topic) => share(precisions(topic), topic.numRel),
  RR: ({ hits }) => (hits.length ? 1 / hits[0] : 0),
  Success: ({ hits }) => Number(hits.length > 0),
  Rprec: ({ hits, numRel }) => share(hits.filter((rank) => rank <= numRel).length, numRel),
  Judged: ({ isJudged, first, k }) => share(isJudged.slice(0, k).filter(Boolean).length, first.length),
  nDCG: ({ first, judged, k }) => share(dcg(first), dcg([...judged].sort((a, b) => b - a).slice(0, k))),
  DCG: ({ first }) => dcg(first),
  Bpref: bpref,
  ERR: err,
  RBP: ({ hits }) => 0.2 * sum(hits.map((rank) => 0.8 ** (rank - 1))),
};

function topicOf(grades, ranking, k) {
  const all = ranking.map(({ document }) => grades.get(document) ?? -1);
  const first = all.slice(0, k);
  const hits = first.flatMap((grade, at) => (grade >= 1 ? [at + 1] : []));
  const judged = [...grades.values()];
  const isJudged = ranking.map(({ document }) => grades.has(document));
  return { all, first, hits, judged, isJudged, k, numRel: judged.filter((grade) => grade >= 1).length };
}

function valueOf(grades, rankings, measure) {
  const [name, cutoff] = measure.split("@");
  if (!(name in measures)) return "";
  const k = cutoff === undefined ? undefined : Number(cutoff);
  const values = [...grades].map(([topic, judged]) => measures[name](topicOf(judged, rankings.get(topic) ?? [], k)));
  return sum(values) / values.length;
}

console.log("case\tmeasure\tvalue");
for (const entry of readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory())) {
  const { expected } = JSON.parse(readFileSync(join(folder, entry.name, "case.json"), "utf8"));
  for (const measure of new Set(expected.map((row) => row.measure))) {
    let value;
    try {
      value = valueOf(judgmentsOf(entry.name), rankingsOf(entry.name), measure);
    } catch (error) {
      value = `error: ${error.message}`;
    }
    console.log(`${entry.name}\t${measure}\t${value}`);
  }
}
