// The bar, the table of all numbers, and the first drawing.
const fill = (id, names) => {
  names.forEach((name) => byId(id).add(new Option(unturned(name), name)));
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
  if (byId("chosen")) byId("chosen").hidden = baseline() !== data.baseline;
  if (byId("show").value !== state.show) byId("show").value = state.show;
};
const board = byId("board");
const boardRows = [...board.tBodies[0].rows];
boardRows.forEach((row, at) => { row.dataset.run = data.runs[at]; });
const drawBoard = () => boardRows.forEach((row) => {
  const run = data.runs.indexOf(row.dataset.run);
  row.hidden = !fits(run);
  row.cells[0].className = kindOfName(run);
});
const heads = [...board.tHead.rows[0].cells];
heads.forEach((head, at) => {
  const values = data.means[measureNames[at - 1]];
  const compare = (a, b) => (values ? values[a] - values[b] : natural.compare(data.runs[a], data.runs[b]));
  const usual = at ? "descending" : "ascending";
  const sort = () => {
    const order = head.ariaSort === usual ? (at ? "ascending" : "descending") : usual;
    heads.forEach((other) => { other.ariaSort = other === head ? order : "none"; });
    const sign = order === "descending" ? -1 : 1;
    boardRows.sort((a, b) => compare(data.runs.indexOf(a.dataset.run), data.runs.indexOf(b.dataset.run)) * sign).forEach((row) => board.tBodies[0].append(row));
  };
  head.ariaSort = at === 1 ? "descending" : "none";
  head.replaceChildren(h("button", {type: "button", title: data.measures[at - 1]?.words, onclick: sort}, head.textContent));
});
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
