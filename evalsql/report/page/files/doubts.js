// The pictures beside the doubts, as figures.py draws them, for the systems that are chosen and shown.
const share = (number) => `${fixed(number * 100, 0)}%`;
const drawnAs = (run) => (run === system() ? "system" : run === baseline() ? "baseline" : "other");
const smallPicture = (height, told, parts) => h("svg", {class: "small", role: "img", "aria-label": told, height}, parts);
const shareMark = (number, y, kind) => {
  const x = `${fixed(28 + 70 * number, 2)}%`;
  if (kind === "other") return h("line", {class: "other", x1: x, x2: x, y1: y - 6, y2: y + 6});
  if (kind === "system") return h("circle", {class: kind, cx: x, cy: y, r: 4.5});
  return h("svg", {x, y, overflow: "visible"}, h("path", {class: kind, d: "M0-5L5 0L0 5L-5 0z"}));
};
const unjudgedPicture = () => {
  const rows = data.doubts.unjudged;
  const has = (shares) => (run) => shares[run] != null;
  const told = rows.map(([depth, shares]) => `among the first ${depth} ${chosenRuns().filter(has(shares)).map((run) => `${data.runs[run]} ${share(shares[run])}`).join(", ")}`);
  const bottom = rows.length * 22 + 14;
  return smallPicture(bottom + 4, `Share of unjudged documents: ${told.join("; ")}`, [
    rows.map(([depth, shares], at) => {
      const y = at * 22 + 11;
      return [h("text", {x: 0, y: y + 4}, `first ${depth}`), h("line", {class: "grid", x1: "28%", x2: "98%", y1: y, y2: y}),
        drawnRuns().filter(has(shares)).map((run) => shareMark(shares[run], y, drawnAs(run)))];
    }),
    [0, 0.5, 1].map((at) => h("text", {x: `${fixed(at < 1 ? 28 + 70 * at : 100, 2)}%`, y: bottom, "text-anchor": at === 1 ? "end" : "middle"}, share(at)))]);
};
const placesPicture = () => {
  const {measures, places} = data.doubts;
  const most = Math.max(...places.flat());
  const last = measures.length - 1;
  const x = (at) => 4 + (92 / Math.max(last, 1)) * at;
  const y = (place) => fixed(8 + (70 * (place - 1)) / Math.max(most - 1, 1), 1);
  const told = chosenRuns().map((run) => `${data.runs[run]} ${listed(places[run].map(String))}`);
  return smallPicture(102, `Places by ${listed(measures)}: ${told.join("; ")}`, [
    drawnRuns().map((run) => measures.slice(1).map((_, at) => h("line", {class: `path ${drawnAs(run)}`,
      x1: `${fixed(x(at), 1)}%`, x2: `${fixed(x(at + 1), 1)}%`, y1: y(places[run][at]), y2: y(places[run][at + 1])}))),
    measures.map((name, at) => h("text", {x: `${fixed(at === 0 ? 0 : at === last ? 100 : x(at), 1)}%`, y: 96,
      "text-anchor": at === 0 ? "start" : at === last ? "end" : "middle"}, name))]);
};
const drawDoubts = () => [["unjudged", unjudgedPicture], ["places", placesPicture]].forEach(([name, draw]) =>
  byId(`picture-${name}`)?.replaceChildren(draw(), h("p", {class: "note"}, whose())));
listeners.push(drawDoubts);
