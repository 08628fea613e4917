// The bar, the table of all numbers, and the first drawing.
const fill = (id, names) => {
  names.forEach((name) => byId(id).add(new Option(name, name)));
  byId(id).addEventListener("change", (event) => choose({[id]: event.target.value}));
};
fill("measure", measureNames);
const byName = [...data.runs].sort(natural.compare);
fill("baseline", byName);
fill("system", byName);
data.measures.forEach((each, at) => { byId("measure").options[at].title = each.words; });
byId("others").addEventListener("change", (event) => choose({others: event.target.value}));
byId("show").addEventListener("input", (event) => choose({show: event.target.value}, {typed: true}));
byId("show").placeholder = `all ${data.runs.length}`;
const drawBar = () => {
  byId("measure").value = state.measure;
  byId("measure").title = measure().words;
  byId("baseline").value = byId("baseline").title = state.baseline;
  byId("system").value = byId("system").title = data.runs[system()];
  byId("others").value = state.others;
  if (byId("show").value !== state.show) byId("show").value = state.show;
};
const board = byId("board");
const boardRows = [...board.tBodies[0].rows];
const drawBoard = () => boardRows.forEach((row) => {
  row.hidden = !row.dataset.run.toLowerCase().includes(state.show.toLowerCase());
  const run = data.runs.indexOf(row.dataset.run);
  row.cells[0].className = run === system() ? "is-system" : run === baseline() ? "is-baseline" : "";
});
board.querySelectorAll("th[aria-sort]").forEach((head) => head.querySelector("button").addEventListener("click", () => {
  const at = head.cellIndex;
  const usual = at ? "descending" : "ascending";
  const order = head.getAttribute("aria-sort") === usual ? (at ? "ascending" : "descending") : usual;
  board.querySelectorAll("th[aria-sort]").forEach((other) => other.setAttribute("aria-sort", "none"));
  head.setAttribute("aria-sort", order);
  const key = (row) => row.cells[at].dataset.value;
  const compare = (a, b) => (at ? Number(key(a)) - Number(key(b)) : natural.compare(key(a), key(b)));
  boardRows.sort((a, b) => compare(a, b) * (order === "descending" ? -1 : 1)).forEach((row) => board.tBodies[0].append(row));
}));
// Links to sections leave the address to the choice.
document.querySelectorAll("nav a, .doubted a").forEach((link) => link.addEventListener("click", (event) => {
  event.preventDefault();
  document.querySelector(link.getAttribute("href"))?.scrollIntoView();
}));
window.addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
listeners.push(drawBar, drawBoard, hintScrolling);
const drawAll = () => listeners.forEach((draw) => draw(state));
state = readAddress();
byId("controls").hidden = false;
drawAll();
if (state.topic) document.querySelector("tr.opened")?.scrollIntoView({block: "center"});
