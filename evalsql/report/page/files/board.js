// A board: what is chosen, sorted and filtered stands in the address and in everything drawn.
const data = JSON.parse(document.getElementById("figures").textContent);
const few = 14; // collections whose values are written, beside their colour
const initial = () => ({system: data.systems[0].name, show: "", sort: "place", order: "up"});
let state = initial();
const readAddress = () => {
  const found = initial();
  new URLSearchParams(location.hash.slice(1)).forEach((value, name) => { if (name in found) found[name] = value; });
  if (!data.systems.some((each) => each.name === found.system)) found.system = initial().system;
  return found;
};
const choose = (changes, {typed = false} = {}) => {
  state = {...state, ...changes};
  const usual = initial();
  const kept = new URLSearchParams(Object.entries(state).filter(([name, value]) => value !== usual[name]));
  history[typed ? "replaceState" : "pushState"](null, "", `#${kept}`);
  draw();
};

// Systems that are shown: all words of the filter stand in the name, the version or the meta.
const text = (each) => [each.name, each.version, ...Object.entries(each.meta).flat()].join(" ").toLowerCase();
const fits = (each) => state.show.toLowerCase().split(/\s+/).every((word) => text(each).includes(word));
const collectionAt = () => data.collections.findIndex((each) => each.name === state.sort);
const key = (each) => {
  const at = collectionAt();
  if (state.sort === "system") return each.name;
  if (state.sort === "mean") return each.mean;
  return at < 0 ? each.place : each.values[at];
};
const compare = (one, other) => {
  const [a, b] = [key(one), key(other)];
  if (a == null || b == null) return (a == null) - (b == null);
  return (typeof a === "string" ? natural.compare(a, b) : a - b) * (state.order === "up" ? 1 : -1) || one.place - other.place;
};
const shown = () => data.systems.filter(fits).toSorted(compare);
// Better values come first when a column of values is sorted for the first time.
const sortBy = (name) => {
  const first = name === "place" || name === "system" || data.lower ? "up" : "down";
  choose({sort: name, order: state.sort === name ? (state.order === "up" ? "down" : "up") : first});
};
const head = (name, words, kind, upright) => {
  const direction = state.order === "up" ? "ascending" : "descending";
  return h("th", {scope: "col", class: kind, "aria-sort": state.sort === name ? direction : null},
    h("button", {onclick: () => sortBy(name), class: upright ? "upright" : null, title: `sort by ${words}`}, words));
};

// Places as a bar from the first to the last that the interval has.
const most = data.systems.length;
const x = (place) => `${most > 1 ? (1 + 98 * (place - 1) / (most - 1)).toFixed(2) : 50}%`;
const picture = (each) => h("svg", {role: "img", "aria-label": `place ${each.place}, interval ${each.low ?? ""} to ${each.high ?? ""}`},
  each.low == null ? null : h("line", {class: "ends thick", x1: x(each.low), x2: x(each.high), y1: 11, y2: 11}),
  h("circle", {class: each.tied ? "mark alike" : "mark", cx: x(each.place), cy: 11, r: 4}));
const ticks = () => {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500].find((each) => most / each <= 6) ?? 1000;
  const places = [1, ...Array.from({length: Math.floor(most / step)}, (_, at) => (at + 1) * step).filter((each) => each > 1 && each > step / 2)];
  return h("svg", {"aria-hidden": "true", style: "height:16px"},
    places.filter((each, at) => at === 0 || each - 1 >= step / 2).map((each) => h("text", {x: x(each), y: 13, "text-anchor": "middle", "font-size": 12}, `${each}`)));
};
// Colours go by the distance from the median of the collection, as a share of the greatest there.
const reach = data.collections.map((each, at) => Math.max(...data.systems.map((one) => Math.abs((one.values[at] ?? each.median) - each.median)), 1e-12));
const heat = (each, at) => {
  const value = each.values[at];
  const collection = data.collections[at];
  if (value == null) return h("td", {class: "heat", title: `${collection.name}: no value`}, "\u2013");
  const above = (value - collection.median) * (data.lower ? -1 : 1);
  const strength = Math.round(75 * Math.min(1, Math.abs(above) / reach[at]));
  const style = `background:color-mix(in srgb, var(${above < 0 ? "--baseline" : "--system"}) ${strength}%, transparent)`;
  const title = `${each.name} on ${collection.name}: ${fixed(value)}, median ${fixed(collection.median)}`;
  return h("td", {class: "heat", style, title}, data.collections.length > few ? "" : fixed(value));
};
const row = (each, before) => h("tr", {
  class: [each.name === state.system && "is-chosen", before && before.group !== each.group && state.sort === "place" && "opens"].filter(Boolean).join(" "),
},
h("td", {class: "place"}, `${each.place}`),
h("th", {scope: "row", class: "name", title: Object.entries(each.meta).map((pair) => pair.join(": ")).join("\n") || null},
  h("button", {class: "link", onclick: () => choose({system: each.name})}, each.name),
  each.version ? h("span", {class: "soft"}, ` ${each.version.slice(0, 10)}`) : null),
h("td", {class: "picture"}, picture(each)),
h("td", {class: "span"}, each.low == null ? "" : each.low === each.high ? `${each.low}` : `${each.low} to ${each.high}`),
h("td", {class: "mean"}, fixed(each.mean)),
data.collections.map((_, at) => heat(each, at)));
const drawBoard = () => {
  const systems = shown();
  const heads = h("tr", {}, head("place", "place", "place"), head("system", data.systems.some((each) => each.version) ? "system and version" : "system", "name"), h("td", {class: "picture"}, ticks()),
    h("td", {class: "span"}, "places"), head("mean", "mean", "mean"),
    data.collections.map((each) => head(each.name, each.name, "heat", true)));
  const body = systems.map((each, at) => row(each, systems[at - 1]));
  const table = h("table", {class: data.collections.length > few ? "cells dense" : "cells"}, h("thead", {}, heads), h("tbody", {}, body));
  byId("board").replaceChildren(
    h("div", {class: "key note"},
      h("span", {}, `line: ${data.confidence} of its places when the collections are drawn anew`),
      h("span", {}, "\u25cb the difference of its mean from the first may be 0"),
      h("span", {}, "\u25cf it is not, even where lines overlap"),
      h("span", {}, h("i", {class: "swatch", style: "background:var(--system)"}), "above the median of the collection, stronger the further"),
      h("span", {}, h("i", {class: "swatch", style: "background:var(--baseline)"}), "below it"),
      h("span", {}, "rule: the system below it differs from the first one above it, back to the last rule")),
    h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Board"}, table),
    systems.length < data.systems.length ? h("p", {class: "note"}, `${systems.length} of ${data.systems.length} systems are shown`) : "");
};

// One system over the collections, where it is furthest behind the best coming first.
const drawOne = () => {
  const chosen = data.systems.find((each) => each.name === state.system);
  const sign = data.lower ? -1 : 1;
  const rows = data.collections.map((each, at) => {
    const best = data.systems.find((one) => one.places[at] === 1);
    const value = chosen.values[at];
    return {...each, value, place: chosen.places[at], best: best.name, behind: value - best.values[at], above: value - each.median};
  }).filter((each) => each.value != null).sort((one, other) => other.place / other.systems - one.place / one.systems || (one.behind - other.behind) * sign);
  const first = rows.filter((each) => each.place === 1).length;
  const widest = Math.max(...rows.map((each) => Math.abs(each.above)), 1e-12);
  const bar = (above) => {
    const width = 49 * Math.abs(above) / widest;
    return h("svg", {"aria-hidden": "true"}, h("line", {class: "axisline", x1: "50%", x2: "50%", y1: 0, y2: 14}),
      h("rect", {class: above * sign < 0 ? "loss" : "win", x: `${above < 0 ? 50 - width : 50}%`, width: `${width}%`, y: 2, height: 10}));
  };
  const number = (words, kind = "number") => h("td", {class: kind}, words);
  byId("one-body").replaceChildren(
    h("p", {class: "sentence"}, h("b", {class: "is-system"}, chosen.name),
      ` is first on ${first} of ${rows.length} collections` + (rows.length && rows[0].place > 1 ? `, and furthest down on ${rows[0].name}: place ${rows[0].place} of ${rows[0].systems}.` : ".")),
    h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "One system"}, h("table", {class: "ones"},
      h("thead", {}, h("tr", {}, ["collection", "place", "value", "median", "from the median", "", "best there", "behind it"].map((words, at) =>
        words ? h("th", {scope: "col", class: at === 6 ? "o" : at === 7 ? "number o" : at ? "number" : null}, words) : h("td", {class: "bars"})))),
      h("tbody", {}, rows.map((each) => h("tr", {},
        h("th", {scope: "row"}, each.address ? h("a", {href: each.address}, each.name) : each.name),
        number(`${each.place}`), number(fixed(each.value)), number(fixed(each.median)), number(signed(each.above)),
        h("td", {class: "bars"}, bar(each.above)), h("td", {class: "o"}, each.best),
        number(each.place === 1 ? "" : signed(each.behind), "number o")))))));
};
const draw = () => {
  byId("system").value = state.system;
  if (byId("show") !== document.activeElement) byId("show").value = state.show;
  drawBoard();
  drawOne();
};
byId("system").append(...data.systems.map((each) => h("option", {value: each.name}, each.name)));
byId("system").addEventListener("change", (event) => choose({system: event.target.value}));
byId("show").placeholder = `all ${most} systems`;
byId("show").addEventListener("input", (event) => choose({show: event.target.value}, {typed: true}));
byId("controls").hidden = false;
document.body.classList.toggle("wide", data.collections.length > few);
window.addEventListener("popstate", () => { state = readAddress(); draw(); });
state = readAddress();
draw();
