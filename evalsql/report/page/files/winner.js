// The chart of means or differences with intervals, which is the table of systems too.
const endsOf = (run) => {
  if (state.view === "mean") {
    const [low, high] = data.intervals[state.measure][run] ?? [null, null];
    return {at: means()[run], low, high, wideLow: low, wideHigh: high};
  }
  const row = beside(baseline(), run);
  if (!row) return {at: 0};
  const [at, half, wide] = [row.difference, row.half ?? 0, row.wide ?? row.half ?? 0];
  return {at, low: at - half, high: at + half, wideLow: at - wide, wideHigh: at + wide};
};
const kindOf = (run) => {
  if (run === system()) return "chosen";
  return state.view === "difference" && !(beside(baseline(), run)?.isSure ?? true) ? "unsure" : "";
};
const told = (run) => {
  const {at, low, high} = endsOf(run);
  const row = beside(baseline(), run);
  const sure = row ? (row.isSure ? ", sure" : ", not sure") : ", the baseline";
  const shown = state.view === "mean" ? fixed : signed;
  return `${data.runs[run]}: ${shown(at)}${low == null ? "" : `, ${shown(low)} to ${shown(high)}`}${sure}`;
};
const rangeOf = (runs) => {
  const ends = runs.map(endsOf).flatMap((each) => [each.at, each.wideLow ?? each.at, each.wideHigh ?? each.at]);
  if (state.view === "difference") ends.push(0);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const room = high > low ? (high - low) * 0.03 : 0.1;
  return [low - room, high + room];
};
const marker = (run, across) => {
  const {at, low, high, wideLow, wideHigh} = endsOf(run);
  const isBase = run === baseline();
  const parts = isBase && state.view === "difference" ? [] : [
    wideLow != null && h("line", {class: "ends wide", x1: percent(across(wideLow)), x2: percent(across(wideHigh)), y1: 11.5, y2: 11.5}),
    low != null && h("line", {class: "ends thick", x1: percent(across(low)), x2: percent(across(high)), y1: 11.5, y2: 11.5})];
  parts.push(isBase ? diamond(percent(across(at)), 11.5)
    : h("circle", {class: `mark${isAlike(run) && run !== system() ? " alike" : ""}`, cx: percent(across(at)), cy: 11.5, r: 4.5}));
  return parts;
};
const picture = (run, across, range) => {
  const base = endsOf(baseline());
  const marks = ticks(...range);
  return h("svg", {height: 23, role: "img", "aria-label": told(run), class: kindOf(run)},
    marks.map((at) => h("line", {class: "grid", x1: percent(across(at)), x2: percent(across(at)), y1: 0, y2: 23})),
    state.view === "mean" && base.low != null &&
      h("rect", {class: "band", x: percent(across(base.low)), width: percent(across(base.high) - across(base.low)), y: 0, height: 23}),
    h("line", {class: "zero", x1: percent(across(base.at)), x2: percent(across(base.at)), y1: 0, y2: 23}),
    marker(run, across));
};
const axis = (range, across) => {
  const base = across(endsOf(baseline()).at);
  const worse = isLower() ? ["\u2190 better", "worse \u2192"] : ["\u2190 worse", "better \u2192"];
  return h("svg", {height: 36, class: "axis", "aria-hidden": "true"},
    state.view === "difference" && base > 0.15 && h("text", {x: percent(base), dx: base > 0.94 ? -62 : -34, y: 12, "text-anchor": "end"}, worse[0]),
    h("text", {x: percent(base), y: 12, "text-anchor": base < 0.06 ? "start" : base > 0.94 ? "end" : "middle", class: "t-baseline"}, "baseline"),
    state.view === "difference" && base < 0.85 && h("text", {x: percent(base), dx: base < 0.06 ? 62 : 34, y: 12}, worse[1]),
    ticks(...range).filter((at) => across(at) < 0.95).map((at, place) => h("text", {class: place % 2 ? "spare" : null, x: percent(across(at)), y: 30, "text-anchor": "middle"}, state.view === "mean" ? plain(at) : plus(at))));
};
const columns = {
  place: {title: "", key: (run) => ranked().indexOf(run)},
  name: {title: "system", key: (run) => data.runs[run]},
  mean: {title: () => state.measure, key: (run) => means()[run]},
  diff: {title: "difference", key: (run) => beside(baseline(), run)?.difference ?? 0},
  won: {title: "won", key: (run) => beside(baseline(), run)?.wins ?? -1},
  tied: {title: "tied", key: (run) => beside(baseline(), run)?.ties ?? -1},
  lost: {title: "lost", key: (run) => beside(baseline(), run)?.losses ?? -1},
};
const sorted = (runs) => {
  const [name, direction] = state.sort.split(" ");
  if (!columns[name]) return runs;
  const key = columns[name].key;
  const order = (a, b) => (typeof key(a) === "string" ? natural.compare(key(a), key(b)) : key(a) - key(b));
  return [...runs].sort((a, b) => order(a, b) * (direction === "down" ? -1 : 1));
};
const head = (name, kind) => {
  const [sortedBy, direction] = state.sort.split(" ");
  const {title} = columns[name];
  const usual = name === "name" ? "up" : "down";
  const next = sortedBy === name && direction === usual ? (usual === "up" ? "down" : "up") : usual;
  return h("th", {scope: "col", class: kind, "aria-sort": sortedBy !== name ? "none" : direction === "down" ? "descending" : "ascending"},
    h("button", {type: "button", title: name === "mean" ? measure().words : null, onclick: () => choose({sort: `${name} ${next}`})},
      typeof title === "function" ? title() : title));
};
const systemRows = (runs) => {
  const range = rangeOf(runs);
  const across = scale(...range);
  const pick = (run) => choose({system: data.runs[run]});
  const cells = (run) => {
    const row = beside(baseline(), run);
    const pale = row && !row.isSure && run !== system() ? " unsure-text" : run === system() ? " is-system" : "";
    return [
      h("td", {class: "place"}, String(placeOf(run))),
      h("th", {scope: "row", class: "name"}, h("button", {type: "button", title: data.runs[run], "aria-label": data.runs[run], onclick: () => pick(run)}, shortNamed(run))),
      h("td", {class: "picture"}, picture(run, across, range)),
      h("td", {class: "number mean"}, fixed(means()[run])),
      h("td", {class: `number diff${pale}`}, row ? signed(row.difference) : h("span", {class: "is-baseline"}, "baseline")),
      ...["wins", "ties", "losses"].map((name) => h("td", {class: "number count"}, row ? String(row[name]) : "")),
    ];
  };
  return h("div", {class: "scroll-narrow", tabindex: 0, role: "region", "aria-label": `Systems by ${state.measure}`}, h("table", {class: "winner"},
    h("thead", {}, h("tr", {}, h("td", {class: "place"}), head("name", "name"), h("td", {class: "picture"}, axis(range, across)),
      head("mean", "number mean"), head("diff", "number diff"), head("won", "number count"), head("tied", "number count"), head("lost", "number count"))),
    h("tbody", {}, runs.map((run) => h("tr", {"data-run": data.runs[run]}, cells(run))))));
};

// More systems than rows: each is a column.
const field = (runs) => {
  const range = rangeOf(runs);
  const up = scale(...range);
  const y = (number) => 26 + 204 * (1 - up(number));
  const x = (at) => percent(0.04 + (0.95 * (at + 0.5)) / runs.length);
  const label = (run, at, low) => h("text", {x: x(at), y: low ? Math.min(y(endsOf(run).wideLow ?? endsOf(run).at) + (run === baseline() ? 66 : 16), 244) : 14,
    "text-anchor": at > runs.length * 0.8 ? "end" : at < runs.length * 0.2 ? "start" : "middle",
    class: run === system() ? "t-system" : run === baseline() ? "t-baseline" : ""}, `${placeOf(run)} ${data.runs[run]}`);
  const names = runs.map((run, at) => [run, at]).filter(([run, at]) => run === system() || run === baseline() || at === runs.length - 1);
  return h("svg", {height: 250, class: "field chart", role: "img", "aria-label": `${runs.length} systems by ${state.measure}, the best on the left; the first is ${data.runs[runs[0]]}`},
    ticks(...range, 5).map((at) => [h("line", {class: "grid", x1: "4%", x2: "100%", y1: y(at), y2: y(at)}),
      h("text", {x: "3.5%", y: y(at) + 4, "text-anchor": "end"}, state.view === "mean" ? plain(at) : plus(at))]).flat(),
    h("line", {class: "zero", x1: "4%", x2: "100%", y1: y(endsOf(baseline()).at), y2: y(endsOf(baseline()).at)}),
    runs.map((run, at) => {
      const ends = endsOf(run);
      const isBase = run === baseline();
      return h("g", {class: kindOf(run), onclick: () => choose({system: data.runs[run]})},
        !isBase && ends.low != null && [h("line", {class: "ends wide", x1: x(at), x2: x(at), y1: y(ends.wideLow), y2: y(ends.wideHigh)}),
          h("line", {class: "ends thick", x1: x(at), x2: x(at), y1: y(ends.low), y2: y(ends.high)})],
        isBase ? diamond(x(at), y(ends.at)) : h("circle", {class: `mark${isAlike(run) && run !== system() ? " alike" : ""}`, cx: x(at), cy: y(ends.at), r: 3.2}));
    }),
    names.map(([run, at]) => [run === baseline() && run !== system() &&
      h("line", {class: "zero", "stroke-dasharray": "2 2", x1: x(at), x2: x(at), y1: y(endsOf(run).at), y2: y(endsOf(run).at) + 52}), label(run, at, run !== system())]));
};
const legend = () => {
  const first = h("span", {}, h("b", {}, state.measure), ` ${measure().words} `);
  const lines = state.view === "mean" ? "The line is Student's interval of the mean at 95%, cut at the ends of the measure's range; the band is that of the baseline."
    : `Thick line: 95% interval of the difference, paired by topic. Thin line: widened for ${data.corrected} (t test, Holm), so that what crosses the baseline is not sure, and pale. Hollow: cannot be told apart from the best.`;
  return h("p", {class: "note"}, first, data.runs.length > 1 ? lines : "");
};
const drawWinner = () => {
  const all = shownRuns();
  const isField = all.length > few && state.rows !== "all";
  const title = state.view === "mean" ? `Mean ${state.measure} over ${counted(data.topics.length, "topic")}`
    : `Difference to the baseline in ${state.measure}, mean over ${counted(data.topics.length, "topic")}`;
  const button = (view) => h("button", {type: "button", "aria-pressed": String(state.view === view), onclick: () => choose({view})}, view);
  const parts = [h("div", {class: "over"}, h("h3", {}, title), h("span", {id: "shown", role: "status", class: "note"}, state.show ? `${all.length} of ${data.runs.length} systems` : ""),
    data.runs.length > 1 && h("span", {class: "switch"}, button("difference"), button("mean")))];
  if (!all.length) parts.push(h("p", {}, "No system has such a name."));
  let rows = all;
  if (isField) {
    rows = [...all.slice(0, 8), ...[system(), baseline()].filter((run) => all.includes(run) && all.indexOf(run) >= 8)];
    rows = ranked().filter((run) => rows.includes(run));
    parts.push(field(all), h("div", {class: "over"}, h("h3", {}, "The first eight and the baseline"),
      h("button", {type: "button", class: "link", onclick: () => choose({rows: "all"})}, `all ${all.length} as rows`)));
  } else if (state.rows === "all" && all.length > few) {
    parts.push(h("button", {type: "button", class: "link", onclick: () => choose({rows: ""})}, "as a field"));
  }
  if (all.length) parts.push(systemRows(sorted(rows)), legend());
  byId("winner").replaceChildren(...parts);
};
listeners.push(drawWinner);
