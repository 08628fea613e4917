// Names, marks and axes.
const percent = (share) => `${(share * 100).toFixed(2)}%`;
const kindOfName = (run) => (run === system() ? "is-system" : run === baseline() ? "is-baseline" : "");
const named = (run) => h("span", {class: kindOfName(run)}, data.runs[run]);
const diamond = (x, y) => h("svg", {x, y}, h("path", {class: "baseline", d: "M0-6L6 0L0 6L-6 0z"}));

// At most six ticks, 1, 2 or 5 times a power of ten apart.
const ticks = (low, high, most = 6) => {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / most));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => span / each <= most) ?? 10 * power;
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1) found.push(Number((at * step).toPrecision(12)));
  return found;
};
const plain = (number) => String(number).replace("-", minus);
const plus = (number) => (number > 0 ? `+${number}` : plain(number));
const scale = (low, high) => (number) => (number - low) / (high - low || 1);

const chosenRuns = () => [system(), baseline()].filter((run, at, all) => all.indexOf(run) === at);
const drawnRuns = () => [...otherRuns(), baseline(), system()].filter((run, at, all) => all.indexOf(run, at + 1) < 0);

// Lines in a plot that fills its width; whose they are stands below, where no line crosses a name.
const plot = (title, lines, {x, y, told, xTitle, yTitle}) => {
  const across = scale(...x);
  const up = scale(...y);
  const points = (line) => line.points.map(([a, b]) => `${(across(a) * 1000).toFixed(1)},${((1 - up(b)) * 1000).toFixed(1)}`).join(" ");
  return h("figure", {class: "chart"},
    h("h3", {}, title),
    h("div", {class: "plot", role: "img", "aria-label": told},
      h("svg", {viewBox: "0 0 1000 1000", preserveAspectRatio: "none", "aria-hidden": "true"},
        ticks(...y, 4).map((at) => h("line", {class: "grid", x1: 0, x2: 1000, y1: (1 - up(at)) * 1000, y2: (1 - up(at)) * 1000, "vector-effect": "non-scaling-stroke"})),
        lines.map((line) => h("polyline", {class: `path ${line.kind}`, points: points(line)}))),
      ticks(...y, 4).map((at) => h("span", {style: `right:calc(100% + 6px);top:calc(${percent(1 - up(at))} - 7px)`}, plain(at))),
      ticks(...x, 5).map((at) => h("span", {style: `left:${percent(across(at))};top:calc(100% + 4px);transform:translateX(-50%)`}, plain(at)))),
    h("p", {class: "note"}, `${yTitle} (up) by ${xTitle} (across).`, lines.some((line) => line.label) && [" ", colours()]));
};
