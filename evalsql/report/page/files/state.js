// What is shown: in the bar above, in the address, and in everything drawn.
const data = JSON.parse(document.getElementById("figures").textContent);
const few = 30; // systems that are a row each
const measureNames = data.measures.map((each) => each.name);
const initial = () => ({
  measure: measureNames[0], baseline: data.runs[data.baseline], system: null, show: "", others: "all", view: data.runs.length > 1 ? "difference" : "mean",
  rows: "", order: "loss", topic: "", find: "", sort: "",
});
let state = initial();

// The system shown, where none is chosen, is the best by the measure.
const readAddress = () => {
  const text = location.hash.slice(1);
  const found = initial();
  if (text.includes("=")) {
    new URLSearchParams(text).forEach((value, name) => {
      if (name in found) found[name] = value;
    });
  }
  if (!measureNames.includes(found.measure)) found.measure = measureNames[0];
  if (!data.runs.includes(found.baseline)) found.baseline = data.runs[data.baseline];
  if (!data.runs.includes(found.system)) found.system = null;
  return found;
};
const address = () => {
  const usual = initial();
  const kept = new URLSearchParams();
  Object.entries(state).forEach(([name, value]) => {
    if (value !== null && value !== usual[name]) kept.set(name, value);
  });
  return `#${kept}`;
};
const listeners = [];
// A choice is a step back in the history; what is typed is not, or each letter would be.
const choose = (changes, {typed = false} = {}) => {
  state = {...state, ...changes};
  const url = address() === "#" ? "#all" : address();
  if (url !== location.hash) history[typed ? "replaceState" : "pushState"](null, "", url);
  listeners.forEach((draw) => draw(changes));
};
window.addEventListener("popstate", () => {
  state = readAddress();
  listeners.forEach((draw) => draw(state));
});

// Figures by number of the system.
const measure = () => data.measures[measureNames.indexOf(state.measure)];
const isLower = () => measure().lower;
const means = () => data.means[state.measure];
const ranked = () => data.order[state.measure]; // the best first
const placeOf = (run) => data.places[state.measure][run]; // equal systems share one
const best = () => ranked()[0];
const baseline = () => data.runs.indexOf(state.baseline);
const system = () => (state.system === null ? best() : data.runs.indexOf(state.system));
const value = (run, topic) => data.values[state.measure][run][topic];
const pairOf = (base, run) => {
  const [first, second] = base < run ? [base, run] : [run, base];
  const found = data.pairs[state.measure][first]?.[second - first - 1];
  if (!found) return null;
  const [topics, difference, half, wins, losses] = found;
  const sign = run === first ? 1 : -1;
  return {topics, difference: sign * difference, half, wins: sign > 0 ? wins : losses, losses: sign > 0 ? losses : wins};
};
// One system beside another: the interval, and what it is at its step of Holm's procedure.
const beside = (base, run) => {
  const pair = base === run ? null : pairOf(base, run);
  if (!pair) return null;
  const left = data.steps[state.measure][base][run];
  const factor = data.factors[pair.topics]?.[Math.abs(left)];
  return {...pair, ties: pair.topics - pair.wins - pair.losses, wide: factor ? pair.half * factor : null, isSure: left > 0};
};
const isAlike = (run) => run !== best() && !(beside(best(), run)?.isSure ?? true);
const fits = (run) => data.runs[run].toLowerCase().includes(state.show.toLowerCase());
const shownRuns = () => ranked().filter(fits);
const otherRuns = () => (state.others === "none" ? [] : shownRuns().filter((run) => run !== system() && run !== baseline()));

// Numbers and lists in words.
const numerals = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
const inWords = (count) => numerals[count] ?? count.toLocaleString("en");
const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
const listed = (texts) => (texts.length > 1 ? `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}` : texts.join(""));
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const topicName = (at) => data.topics[at][0];
const topicText = (at) => data.topics[at][1];
const called = (at) => (topicText(at) ? `${topicName(at)} (${topicText(at)})` : topicName(at));
