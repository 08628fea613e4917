// Where the system loses: a bar a topic, and a row a topic with all other systems.
const mostBars = 400;
const fewestPlaces = 12; // for bars, so that one topic is not a wall
const fewLost = 0.12; // as a share of the bars
const mostRows = 20; // where topics are more than bars
const apart = (at) => {
  const [ours, theirs] = [value(system(), at), value(baseline(), at)];
  if (ours == null || theirs == null) return null;
  const difference = ours - theirs;
  return Math.abs(difference) < 5e-13 ? 0 : difference;
};
const worth = (at) => (isLower() ? -apart(at) : apart(at));
const lostOf = (topics) => topics.filter((at) => worth(at) < 0);
const tiedOf = (topics) => topics.filter((at) => worth(at) === 0);
const wonOf = (topics) => topics.filter((at) => worth(at) > 0);
// With more decimals where a difference would be shown as none.
const apartText = (at) => {
  const difference = apart(at);
  let digits = data.digits;
  while (difference && digits < 12 && !Number(difference.toFixed(digits))) digits += 1;
  return signed(difference, digits);
};
const comparedTopics = () => data.topics.map((_, at) => at).filter((at) => apart(at) !== null);
const orders = {
  loss: (a, b) => worth(a) - worth(b) || natural.compare(topicName(a), topicName(b)),
  hardest: (a, b) => mean(a) - mean(b),
  topic: (a, b) => natural.compare(topicName(a), topicName(b)),
};
const mean = (at) => {
  const held = data.runs.map((_, run) => value(run, at)).filter((each) => each != null);
  return (held.reduce((sum, each) => sum + each, 0) / held.length) * (isLower() ? -1 : 1);
};
const toggleTopic = (at) => choose({topic: state.topic === topicName(at) ? "" : topicName(at)});

const bars = (topics) => {
  const order = [...topics].sort(orders.loss);
  const most = Math.max(...order.map((at) => worth(at)), 0);
  const least = Math.min(...order.map((at) => worth(at)), 0);
  const top = 24;
  const height = 110;
  const y = (number) => top + (height * (most - number)) / (most - least || 1);
  const count = order.length;
  const isOutline = count > mostBars;
  const shown = isOutline ? Array.from({length: 200}, (_, at) => order[Math.min(Math.round(((at + 0.5) * count) / 200 - 0.5), count - 1)]) : order;
  const places = Math.max(shown.length, fewestPlaces);
  const bar = (at, place) => {
    const [x, width] = [percent(place / places), percent((isOutline ? 1 : 0.86) / places)];
    const number = worth(at);
    const drawn = h("rect", {class: number < 0 ? "loss" : "win", x, width, y: y(Math.max(number, 0)), height: Math.max(Math.abs(y(number) - y(0)), number ? 1 : 0.4)});
    if (isOutline) return drawn;
    return h("a", {inSvg: true, class: "bar-link", href: "#topics", "aria-label": `${called(at)}: ${apartText(at)}`,
      onclick: (event) => { event.preventDefault(); toggleTopic(at); byId("topics").scrollIntoView(); }},
    h("rect", {class: "hit", x, width: percent(1 / places), y: top, height}), drawn, h("title", {inSvg: true}, `${called(at)}: ${apartText(at)}`));
  };
  const [lost, tied, won] = [lostOf, tiedOf, wonOf].map((each) => each(order).length);
  const label = (text, place, at, kind, anchor) => h("text", {x: percent(place), y: at, class: kind, "text-anchor": anchor}, text);
  const end = shown.length / places;
  // Beside the ties where no bar is: above the line left of wins that are few, else below it right of the losses.
  const tiesAt = won / count < 0.4 ? [((lost + tied) / count) * end, y(0) - 6, "", won || end === 1 ? "end" : "start"] : [(lost / count) * end, y(0) + 15, "", "start"];
  // Bars of wins would stand in the words above the line where the losses are few.
  const losesAt = won && !tied && lost / count * end < fewLost ? [lost / count * end, y(0) + 15] : [0, y(0) - 6];
  return h("svg", {height: top + height + 22, class: "chart", role: "group", "aria-label": `Differences on ${count} topics`},
    ticks(least, most, 3).filter((at) => at).map((at) => h("line", {class: "grid", x1: 0, x2: "100%", y1: y(at), y2: y(at)})),
    shown.map(bar),
    h("line", {class: "axisline", x1: 0, x2: "100%", y1: y(0), y2: y(0)}),
    lost > 0 && label(`loses on ${lost.toLocaleString("en")}`, ...losesAt, "t-baseline", "start"),
    tied > 0 && label(`ties on ${tied.toLocaleString("en")}`, ...tiesAt),
    won > 0 && label(`wins on ${won.toLocaleString("en")}`, end > 0.2 ? end : ((lost + tied) / count) * end, y(0) + 15, "t-system", end > 0.2 ? "end" : "start"),
    ticks(least, most, 3).filter((at) => at).map((at) => 
      // On the side where bars of that direction are not.
      at < 0 || end < 1 ? h("text", {x: "100%", y: y(at) - 3, "text-anchor": "end"}, plus(at)) : h("text", {x: 0, y: y(at) - 3}, plus(at))));
};
const topicPicture = (at, across) => {
  const [ours, theirs] = [across(value(system(), at)), across(value(baseline(), at))];
  const others = otherRuns();
  return h("svg", {height: 21, role: "img", "aria-label": `${called(at)}: ${data.runs[system()]} ${fixed(value(system(), at))}, ${data.runs[baseline()]} ${fixed(value(baseline(), at))}`},
    others.map((run) => value(run, at) != null && h("line", {class: `tick${others.length > 40 ? " many" : ""}`, x1: percent(across(value(run, at))), x2: percent(across(value(run, at))), y1: 6, y2: 15})),
    h("line", {class: `shift${worth(at) > 0 ? " up" : ""}`, x1: percent(ours), x2: percent(theirs), y1: 10.5, y2: 10.5}),
    diamond(percent(theirs), 10.5),
    h("circle", {class: "system", cx: percent(ours), cy: 10.5, r: 4.5}));
};
const topicRows = (topics, isMain) => {
  const [low, high] = measure().range.length === 2 ? measure().range : [0, Math.max(...data.values[state.measure].flat(), 1e-9)];
  const across = scale(low, high);
  const row = (at) => {
    const isOpen = isMain && state.topic === topicName(at);
    const open = (text, kind) => h("button", {type: "button", class: kind, "aria-expanded": String(isOpen), onclick: () => toggleTopic(at)}, text);
    const name = topicText(at) ? h("span", {}, h("span", {class: "soft"}, `${topicName(at)} `), topicText(at)) : topicName(at);
    return [h("tr", {class: "row", "data-topic": topicName(at)},
      h("th", {scope: "row", class: "topic", title: called(at)}, isMain ? open(name, "link") : h("span", {}, name)),
      h("td", {class: "picture"}, topicPicture(at, across)),
      h("td", {class: "number value each is-system"}, fixed(value(system(), at))),
      h("td", {class: "number value each is-baseline"}, fixed(value(baseline(), at))),
      h("td", {class: "number value"}, apartText(at)),
      h("td", {class: "open"}, isMain && hasDocuments(at) && h("button", {type: "button", class: "link", "aria-label": `documents of topic ${topicName(at)}`, onclick: () => toggleTopic(at)}, isOpen ? "close \u25be" : "documents \u25b8"))),
    isOpen && h("tr", {class: "opened"}, h("td", {colspan: 6}, documentsOf(at)))];
  };
  const middle = ticks(low, high, 4);
  return h("table", {class: "rows"},
    h("thead", {}, h("tr", {}, h("th", {scope: "col", class: "topic"}, "topic"),
      h("td", {class: "picture"}, h("svg", {height: 18, "aria-hidden": "true"}, middle.map((at) => h("text", {x: percent(across(at)), y: 14, "text-anchor": "middle"}, plain(at))))),
      h("th", {scope: "col", class: "number value each"}, "system"), h("th", {scope: "col", class: "number value each"}, "baseline"),
      h("th", {scope: "col", class: "number value"}, "difference"), h("td", {class: "open"}))),
    h("tbody", {}, topics.map(row)));
};
let findBox;
const topicTools = () => {
  const button = (order, text) => h("button", {type: "button", class: "link", "aria-pressed": String(state.order === order), onclick: () => choose({order})}, text);
  findBox ??= h("input", {type: "search", placeholder: "Find a topic", "aria-label": "Find a topic", oninput: (event) => choose({find: event.target.value}, {typed: true})});
  if (findBox.value !== state.find) findBox.value = state.find;
  return h("div", {class: "tools"}, "order:", button("loss", "loss"), button("hardest", "hardest for all"), button("topic", "topic"), findBox);
};
// Headings with the topics below them: those at once, and those behind a click.
const groupsOf = (order) => {
  const wanted = state.find.toLowerCase();
  if (wanted) {
    const found = order.filter((at) => called(at).toLowerCase().includes(wanted));
    const others = order.filter((at) => !found.includes(at));
    return [[[`${counted(found.length, "topic")} ${found.length === 1 ? "is" : "are"} called so`, found]], [[`The other ${counted(others.length, "topic")}`, others]]];
  }
  const group = (verb, topics) => [`The ${topics.length === 1 ? "topic" : `${topics.length.toLocaleString("en")} topics`} it ${verb} on`, topics];
  const [lost, tied, won] = [group("loses", lostOf(order)), group("ties", tiedOf(order)), group("wins", wonOf(order))];
  return lost[1].length ? [[lost], [tied, won]] : [[tied, won], []];
};
const drawTopics = () => {
  const body = byId("topics-body");
  if (!body) return;
  const isTyping = document.activeElement === findBox;
  const all = comparedTopics();
  const isMany = all.length > mostBars;
  const [main, rest] = groupsOf([...all].sort(orders[state.order] ?? orders.loss)).map((groups) => groups.filter(([, topics], at) => topics.length || (state.find && !at))
    .map(([title, topics]) => (isMany && topics.length > mostRows ? [`${title}: the first ${mostRows}`, topics.slice(0, mostRows)] : [title, topics])));
  const opened = data.topics.findIndex(([name]) => name === state.topic);
  if (opened >= 0 && all.includes(opened) && !main.some(([, topics]) => topics.includes(opened))) {
    const verb = worth(opened) < 0 ? "loses" : worth(opened) > 0 ? "wins" : "ties";
    main.unshift([`Topic ${topicName(opened)}, which it ${verb} on`, [opened]]);
    rest.forEach((group) => { group[1] = group[1].filter((at) => at !== opened); });
  }
  const isSelf = system() === baseline();
  const sentence = topicSentence(lostOf(all).sort(orders.loss), tiedOf(all).sort(orders.loss), all);
  body.replaceChildren(h("p", {class: "sentence"}, sentence), ...(isSelf || !all.length ? [] : [
    h("h3", {}, `Difference in ${state.measure} on each topic, ${isLower() ? "worst first, less being better" : "worst first"}`), bars(all),
    main.map(([title, topics], place) => [h("div", {class: "over"}, h("h3", {}, title), !place && topicTools()),
      !place && h("p", {class: "note"}, `${state.measure}: `, h("span", {class: "is-system"}, "\u25cf system"), ", ", h("span", {class: "is-baseline"}, "\u25c6 baseline"), `, ticks: ${otherRuns().length} other systems`),
      !place && onlyNarrow("A wider window shows the values of both systems as numbers."), topicRows(topics, true)]),
    !isMany && rest.filter(([, topics]) => topics.length).map(([title, topics]) => h("details", {}, h("summary", {}, title), topicRows(topics, false)))].flat(3).filter(Boolean)));
  if (isTyping) findBox.focus();
};
listeners.push(drawTopics);
