// The three answers, in the words of answers.py.
const alsoFirst = () => data.measures.filter((other) => {
  if (other.name === state.measure || other.judging) return false;
  const held = data.means[other.name];
  const top = other.lower ? Math.min(...held) : Math.max(...held);
  return held[system()] === top && held.filter((each) => each === top).length === 1;
}).map((other) => other.name);
const mostNamed = 3; // of systems that have the best mean together
const ordinal = (place) => ["", "first", "second", "third"][place] ?? `${place}th`;

const whoWins = () => {
  const [first] = ranked();
  const mean = `${state.measure} ${fixed(means()[first])}`;
  if (data.runs.length === 1) return [data.runs[first], `${mean}, the only system.`];
  const leaders = ranked().filter((run) => means()[run] === means()[first]).map((run) => data.runs[run]);
  if (leaders.length > 1) {
    const more = leaders.length - mostNamed;
    const all = more < 2 ? leaders : [...leaders.slice(0, mostNamed), `${inWords(more)} others`];
    return ["A tie", `${mean}, shared by ${listed(all)}, of ${data.runs.length} systems.`];
  }
  const also = system() === first ? alsoFirst() : [];
  return [data.runs[first], `${mean}, first of ${data.runs.length}${also.length ? `; also first by ${listed(also)}` : ""}.`];
};
const howMuch = () => {
  const [first, second] = ranked();
  if (data.runs.length === 1) return ["\u2013", ["There is no other system to compare it with."]];
  const gap = signed(beside(second, first)?.difference);
  if (system() === baseline()) {
    if (system() === first) return [gap, ["over the next, ", named(second), "; it is the baseline itself."]];
    return [signed(beside(first, system())?.difference), ["behind the first; it is the baseline itself."]];
  }
  const row = beside(baseline(), system());
  const over = ["over the baseline ", named(baseline()), ` (${fixed(means()[baseline()])})`];
  if (system() !== first) {
    const behind = signed(beside(first, system())?.difference);
    return [signed(row?.difference), [named(system()), " ", over, `; ${ordinal(ranked().indexOf(system()) + 1)}, ${behind} to the first.`]];
  }
  return [signed(row?.difference), [over, data.runs.length < 3 ? "." : `, and ${gap} over the next.`]];
};
const isItSure = () => {
  const [first, second] = ranked();
  if (data.runs.length === 1) return ["\u2013", ""];
  const isSelf = system() === baseline();
  const row = isSelf ? beside(system() === first ? second : first, system()) : beside(baseline(), system());
  if (!row || row.half === null || row.wide === null) return ["It cannot be told", "One topic has no interval."];
  const other = isSelf ? (system() === first ? "the next" : "the first") : "the baseline";
  const isBetter = (row.difference > 0) !== isLower();
  const big = row.isSure ? (isBetter ? `Yes, over ${other}` : `Yes, below ${other}`) : isBetter ? `No, not even over ${other}` : "No";
  let text = `95% interval ${signed(row.difference - row.half)} to ${signed(row.difference + row.half)}`;
  if (!row.isSure && Math.abs(row.difference) > row.half) {
    text += `, which ${data.runs.length - 1} comparisons widen to ${signed(row.difference - row.wide)} to ${signed(row.difference + row.wide)}`;
  }
  if (data.runs.length === 2 || system() !== first) return [big, `${text}.`];
  const alike = ranked().filter(isAlike).length;
  if (!alike) return [big, `${text}. Its first place is sure too.`];
  const others = alike === 1 ? "one other" : `${inWords(alike)} others`;
  return [big, row.isSure ? `${text}. Its first place is not sure: ${others} cannot be told apart from it.`
    : `${text}. ${capital(others)} cannot be told apart from it.`];
};
const drawAnswers = () => {
  const all = [["Who wins?", ...whoWins()], ["By how much?", ...howMuch()], ["Is it sure?", ...isItSure()]];
  byId("answers").replaceChildren(...all.map(([question, big, text], at) => h("div", {class: "answer"},
    h("p", {class: "question"}, h("span", {class: "soft"}, String(at + 1)), ` ${question}`),
    h("p", {class: `big${at === 0 && big === data.runs[system()] ? " is-system" : ""}`}, big),
    h("p", {}, ...[text].flat(2)))));
};
listeners.push(drawAnswers);
