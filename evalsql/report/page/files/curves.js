// Curves, the system and the baseline in colour, the others that are shown in grey.
const linesOf = (curve) => [...otherRuns(), baseline(), system()].filter((run, at, all) => curve[run] && all.indexOf(run) === at).map((run) => {
  const kind = run === system() ? "system" : run === baseline() ? "baseline" : "other";
  return {kind, label: kind === "other" ? "" : data.runs[run], points: curve[run]};
});
const extent = (lines, at) => {
  const held = lines.flatMap((line) => line.points.map((point) => point[at]));
  return [Math.min(...held), Math.max(...held)];
};
const stairs = (line) => ({...line, points: line.points.flatMap((point, at) => (at ? [[point[0], line.points[at - 1][1]], point] : [point]))});
const spread = () => {
  const boxes = data.curves.boxes?.[state.measure];
  if (!boxes) return null;
  const runs = shownRuns().filter((run) => boxes[run]).slice(0, 40);
  const [low, high] = [Math.min(...runs.map((run) => boxes[run][0])), Math.max(...runs.map((run) => boxes[run][4]))];
  const across = scale(low, high);
  const line = (kind, a, b) => h("line", {class: `ends ${kind}`, x1: percent(across(a)), x2: percent(across(b)), y1: 9, y2: 9});
  return h("figure", {class: "chart"}, h("h3", {}, `Spread of ${state.measure} over topics`), h("table", {class: "winner"},
    h("tbody", {}, runs.map((run) => h("tr", {}, h("th", {scope: "row", class: "name"}, shortNamed(run)),
      h("td", {class: "picture"}, h("svg", {height: 18, role: "img", class: run === system() ? "chosen" : "", "aria-label": `${data.runs[run]}: least ${fixed(boxes[run][0])}, quartiles ${boxes[run].slice(1, 4).map((each) => fixed(each)).join(", ")}, greatest ${fixed(boxes[run][4])}`},
        line("wide", boxes[run][0], boxes[run][4]), line("thick", boxes[run][1], boxes[run][3]),
        h("circle", {class: "mark", cx: percent(across(boxes[run][2])), cy: 9, r: 4}))),
      h("td", {class: "number mean"}, fixed(boxes[run][2])))))),
  h("p", {class: "note"}, "From the least to the greatest value, thick between the quartiles, the dot and figure at the median."));
};
const drawCurves = () => {
  if (data.curves.pr && byId("precision-recall")) {
    byId("precision-recall").replaceChildren(plot("Precision at levels of recall", linesOf(data.curves.pr),
      {x: [0, 1], y: [0, 1], told: "Interpolated precision at eleven levels of recall", xTitle: "recall", yTitle: "Interpolated precision"}));
  }
  const more = byId("more-curves");
  const found = [spread()];
  if (data.curves.tap) {
    const lines = linesOf(data.curves.tap).filter((line) => line.kind !== "other").map(stairs);
    found.push(...lines.map((line) => plot(`Threshold of TAP-k: ${line.label}`, [{...line, label: ""}], {x: extent([line], 0), y: [0, Math.max(extent([line], 1)[1], 1)],
      told: "False positives that half of the topics show, by the score that a threshold lets through", xTitle: "score", yTitle: "False positives that half of the topics show"})));
  }
  if (data.curves.roc) {
    found.push(plot("ROC, topics pooled by score", linesOf(data.curves.roc), {x: [0, 1], y: [0, 1],
      told: "True against false positive rate", xTitle: "false positive rate, as far as the lists go", yTitle: "True positive rate"}));
  }
  more.replaceChildren(...found.filter(Boolean));
};
listeners.push(drawCurves);
