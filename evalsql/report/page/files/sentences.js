// What is said after a choice: the sentences of verdicts.py, filled anew.
const tell = (name, facts) => {
  const [, text] = data.sentences[name].find(([fact]) => !fact || facts[fact]);
  return text.split(/\{(\w+)\}/).map((part, at) => (at % 2 === 0 ? part : data.sentences[part] ? tell(part, facts) : facts[part]?.cloneNode?.(true) ?? facts[part]));
};
const span = (low, high) => `${signed(low)} to ${signed(high)}`;
// Names are elements in the colour of their marks; each place that tells one has its own.
const chosenFacts = () => ({
  measure: state.measure, system: named(system()), baseline: named(baseline()), is_baseline: system() === baseline(),
  num_runs: data.runs.length, corrected: data.corrected, is_one_of_two: data.runs.length === 2,
});
const answerFacts = () => {
  const first = best();
  const facts = {...measure().facts, ...chosenFacts(), is_behind: system() !== first, baseline_mean: fixed(means()[baseline()])};
  if (facts.is_only) return facts;
  facts.is_leading_baseline = facts.is_baseline && !facts.is_behind;
  const rival = facts.is_baseline ? ranked().find((run) => run !== system()) : baseline();
  const pair = beside(rival, system());
  if (!pair || pair.half === null || pair.wide === null) facts.has_no_interval = true;
  const {difference, half, wide, isSure} = pair ?? {};
  const isBetter = (difference > 0) !== isLower();
  return {
    ...facts, rival: named(rival), difference: signed(difference), place: placeOf(system()), system_mean: fixed(means()[system()]), behind: signed(beside(first, system())?.difference),
    is_sure: isSure, is_better: isBetter, is_surely_better: isSure && isBetter, interval: span(difference - half, difference + half),
    widened: !isSure && Math.abs(difference) > half && span(difference - wide, difference + wide),
  };
};
const drawAnswers = () => {
  const facts = answerFacts();
  const all = [[tell("question", facts), "winner"], ["By how much?", "margin"], ["Is it sure?", "certainty"]];
  byId("answers").replaceChildren(h("div", {class: "answers"}, all.map(([question, name]) => {
    const isChosen = name === "winner" && !facts.leaders && facts.first === data.runs[system()];
    return h("div", {class: "answer"}, h("p", {class: "question"}, question),
      h("p", {class: `big${isChosen ? " is-system" : ""}`}, tell(name, facts)), h("p", {}, tell(`${name}_text`, facts)));
  })));
};
const colours = () => {
  const others = drawnRuns().length - chosenRuns().length;
  return tell("colours", {...chosenFacts(), others: others && counted(others, "other system")});
};
const topicSentence = (lost, tied, all) => tell("topics", {
  ...measure().facts, ...chosenFacts(), num_lost: lost.length ? lost.length.toLocaleString("en") : "none", is_lost_once: lost.length === 1,
  lost: listed(lost.slice(0, data.most_named.lost).map(called)), num_topics: counted(all.length, "topic"),
  num_tied: tied.length && counted(tied.length, "topic"), tied: tied.length <= data.most_named.tied && listed(tied.map(called)),
});
// The pictures beside the caveats are drawn already; a choice moves their colours.
const colourPictures = () => {
  const [drawn, chosen] = [drawnRuns(), chosenRuns()];
  document.querySelectorAll("[data-system]").forEach((mark) => {
    const run = Number(mark.dataset.system);
    const kind = run === system() ? "system" : run === baseline() ? "baseline" : "other";
    mark.toggleAttribute("hidden", !drawn.includes(run));
    if (mark.localName === "use") mark.setAttribute("href", `#mark-${kind}`);
    else mark.setAttribute("class", `path ${kind}`);
  });
  [...chosen].reverse().forEach((run) => document.querySelectorAll(`[data-system="${run}"]`).forEach((mark) => mark.parentNode.append(mark)));
  Object.entries(data.pictures).forEach(([name, [title, texts]]) => {
    const told = chosen.filter((run) => texts[run]).map((run) => `${data.runs[run]} ${texts[run]}`);
    byId(`picture-${name}`).querySelector("svg").setAttribute("aria-label", `${title}: ${told.join("; ")}`);
    byId(`picture-${name}`).querySelector(".note").replaceChildren(...colours().flat(Infinity));
  });
};
listeners.push(drawAnswers, colourPictures);
