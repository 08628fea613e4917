// One document at a time: its topic above, its grades below. What is judged stays in the browser until it is saved.
const {key, grades, topics, documents} = JSON.parse(document.getElementById("figures").textContent);
const places = new Map(documents.map(([topic, name], at) => [`${topics[topic][0]}\n${name}`, at]));
const judged = new Map();
let at = 0;
let saved = true;

const remembered = () => {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? [];
  } catch {
    return [];
  }
};
const remember = () => {
  try {
    localStorage.setItem(key, JSON.stringify([...judged]));
  } catch {
    // A browser may keep nothing; then the page asks before it is left.
  }
};

const show = (to = at) => {
  at = Math.max(0, Math.min(to, documents.length - 1));
  const [topic, name, title, text] = documents[at];
  const [asked, question, description, narrative] = topics[topic];
  const said = (kind, words) => words && h("p", {class: kind, dir: "auto"}, words);
  byId("sheet").replaceChildren(
    h("section", {class: "asked", "aria-label": "Topic"}, h("h2", {dir: "auto"}, question ? `${asked}: ${question}` : asked),
      description && description !== question ? said("description", description) : null,
      narrative ? h("details", {open: ""}, h("summary", {}, "What is relevant"), said("", narrative)) : null),
    h("section", {class: "said", "aria-label": "Document"}, h("p", {class: "name", dir: "auto"}, unturned(name)),
      title ? h("h2", {dir: "auto"}, title) : null, said("text", text) ?? h("p", {class: "soft"}, title ? "" : "No text of it was loaded.")));
  byId("topic").value = topic;
  const held = judged.get(at);
  for (const button of byId("grades").children) button.setAttribute("aria-pressed", String(held === Number(button.value)));
  const inTopic = documents.filter(([other]) => other === topic).length;
  const place = documents.slice(0, at + 1).filter(([other]) => other === topic).length;
  byId("progress").textContent = `Document ${place} of ${inTopic} of this topic; ${judged.size} of ${documents.length} judged${saved ? "" : ", not saved yet"}`;
  byId("before").disabled = at === 0;
  byId("next").disabled = at === documents.length - 1;
  byId("open-one").disabled = judged.size === documents.length;
};
const go = (to) => {
  show(to);
  window.scrollTo(0, 0);
};
const nextOpen = () => {
  for (let step = 1; step <= documents.length; step++) {
    const there = (at + step) % documents.length;
    if (!judged.has(there)) return go(there);
  }
};
const judge = (grade) => {
  if (grade == null) judged.delete(at);
  else judged.set(at, grade);
  saved = false;
  remember();
  if (grade == null || at === documents.length - 1) show();
  else go(at + 1);
};

// Files of judgments: as TREC has them, or JSON lines where a name would end a column or begin a comment.
const save = () => {
  const rows = [...judged].sort(([one], [other]) => one - other)
    .map(([place, grade]) => [topics[documents[place][0]][0], documents[place][1], grade]);
  if (!rows.length) return;
  const isPlain = rows.every(([topic, name]) => !/\s|^$/.test(topic) && !/\s|^$/.test(name) && !/^[#\ufeff]/.test(topic));
  const lines = rows.map(([topic, name, grade]) => isPlain ? `${topic} 0 ${name} ${grade}`
    : JSON.stringify({topic, document: name, grade}));
  const link = h("a", {href: URL.createObjectURL(new Blob([`${lines.join("\n")}\n`], {type: "text/plain"})), download: isPlain ? "judged.qrels" : "judged.jsonl"});
  document.body.append(link);
  link.click();
  link.remove();
  saved = true;
  show();
};
const read = (text) => {
  let taken = 0;
  for (const line of text.split(/\r?\n/).filter((each) => each.trim())) {
    let topic, name, grade;
    try {
      if (line.startsWith("{")) ({topic, document: name, grade} = JSON.parse(line));
      else [topic, , name, grade] = line.trim().split(/\s+/);
    } catch {
      continue;
    }
    const place = places.get(`${topic}\n${name}`);
    if (place != null && /^\d+$/.test(grade)) {
      judged.set(place, Number(grade));
      taken++;
    }
  }
  remember();
  show();
  byId("progress").textContent += `; ${taken} were taken from the file`;
};

byId("topic").append(...topics.map(([name, question], topic) => h("option", {value: topic}, question ? `${name}: ${question}` : name)));
byId("topic").onchange = () => go(documents.findIndex(([topic]) => topic === Number(byId("topic").value)));
byId("grades").append(...grades.map((grade) => h("button", {type: "button", value: grade, "aria-pressed": "false",
  onclick: () => judge(judged.get(at) === grade ? null : grade)}, String(grade), grade === 0 ? " not relevant" : grades.length === 2 ? " relevant" : null)));
byId("before").onclick = () => go(at - 1);
byId("next").onclick = () => go(at + 1);
byId("open-one").onclick = nextOpen;
byId("save").onclick = save;
byId("open").onchange = ({target}) => target.files[0]?.text().then(read);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("select, input")) return;
  const grade = /^\d$/.test(event.key) ? Number(event.key) : null;
  const does = {ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), n: nextOpen, s: save, Backspace: () => judge(null), Delete: () => judge(null)}[event.key];
  if (grades.includes(grade)) judge(grade);
  else if (does) does();
  else return;
  event.preventDefault();
});
window.addEventListener("beforeunload", (event) => {
  if (!saved) event.preventDefault();
});
for (const [place, grade] of remembered()) if (place < documents.length) judged.set(place, grade);
show();
if (judged.has(at)) nextOpen();
