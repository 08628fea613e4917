// Names cut in the middle so that they differ where there is no room, and a word where a table goes on.
const longestWhole = 12;
const longestTail = 9;
const sharedEnd = (one, other) => {
  let count = 0;
  while (count < Math.min(one.length, other.length) && one.at(-1 - count) === other.at(-1 - count)) count += 1;
  return count;
};
// A name keeps its beginning and as much of its end as tells it from those that begin alike; else it is not cut.
const partsOf = (run) => {
  const name = [...data.runs[run]];
  const start = data.runs[run].slice(0, 4);
  const alike = data.runs.filter((other, at) => at !== run && other.startsWith(start)).map((other) => [...other]);
  const tail = Math.max(6, ...alike.map((other) => sharedEnd(name, other) + 1));
  if (name.length <= longestWhole || tail > longestTail) return null;
  return [name.slice(0, -tail).join(""), name.slice(-tail).join("")];
};
const parts = data.runs.map((_, run) => partsOf(run));
const shortNamed = (run) => h("span", {class: `${parts[run] ? "cut" : "whole"} ${kindOfName(run)}`, title: data.runs[run]},
  parts[run] ? [h("span", {class: "start", style: `--tail:${parts[run][1].length * 1.05}ch`}, parts[run][0]), h("span", {}, parts[run][1])] : data.runs[run]);
const onlyNarrow = (text) => h("p", {class: "note only-narrow"}, text);
const hinted = new Map();
const hintScrolling = () => document.querySelectorAll(".scroll, .scroll-narrow").forEach((region) => {
  if (!hinted.has(region)) {
    hinted.set(region, h("p", {class: "note goes-on", hidden: true}, "The table goes on to the right: scroll it. \u2192"));
    region.before(hinted.get(region));
  }
  hinted.get(region).hidden = region.scrollWidth <= region.clientWidth + 1;
});
window.addEventListener("resize", hintScrolling);
document.addEventListener("toggle", hintScrolling, true);
