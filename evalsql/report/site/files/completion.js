// Completion of relations, columns and runs in the console's text; Tab or Enter takes what is marked.
const completeIn = (area, list, data) => {
  const words = [
    ...data.relations.map(([name, call, title]) => ({name, call, title})),
    ...[...new Set(data.relations.flatMap(([, , , columns]) => columns))].map((name) => ({name, call: "", title: "column"})),
    ...["select", "from", "where", "group by", "order by", "limit", "join", "using", "having", "with"].map((name) => ({name, call: "", title: ""})),
  ];
  const names = (window.searchable ?? []).filter(([kind]) => kind === "system" || kind === "topic");
  let found = [];
  let current = 0;
  const before = () => area.value.slice(0, area.selectionStart);
  const close = () => {
    found = [];
    list.hidden = true;
    area.removeAttribute("aria-activedescendant");
  };
  const look = () => {
    const text = before();
    const quotedName = /'([^'\n]*)$/.exec(text.slice(text.lastIndexOf("\n") + 1));
    const isOpen = quotedName && (text.match(/'/g) ?? []).length % 2 === 1;
    const word = isOpen ? quotedName[1] : /[a-z_][a-z0-9_]*$/i.exec(text)?.[0] ?? "";
    const low = word.toLowerCase();
    if (word.length < 2) return close();
    found = isOpen
      ? names.filter(([, name]) => name.toLowerCase().startsWith(low)).map(([kind, name]) => ({name: name.replaceAll("'", "''"), call: "'", title: kind, of: word.length}))
      : words.filter(({name}) => name.startsWith(low) && name !== low).map((each) => ({...each, of: word.length}));
    found = found.slice(0, 8);
    current = 0;
    return found.length ? draw() : close();
  };
  const draw = () => {
    list.replaceChildren(...found.map((each, at) => h("li", {role: "option", id: `completion-${at}`, "aria-selected": String(at === current),
      onmousedown: (event) => { event.preventDefault(); current = at; take(); }}, h("code", {}, each.name + each.call), h("span", {class: "soft"}, ` ${each.title}`))));
    list.hidden = false;
    area.setAttribute("aria-activedescendant", `completion-${current}`);
  };
  const take = () => {
    const {name, call, of} = found[current];
    const added = call === "'" ? `${name}'` : call ? `${name}(` : name;
    area.setRangeText(added, area.selectionStart - of, area.selectionStart, "end");
    close();
  };
  area.addEventListener("input", look);
  area.addEventListener("blur", close);
  area.addEventListener("keydown", (event) => {
    if (list.hidden || event.ctrlKey || event.metaKey) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      current = (current + (event.key === "ArrowDown" ? 1 : -1) + found.length) % found.length;
      draw();
    } else if (event.key === "Tab" || event.key === "Enter") {
      take();
    } else if (event.key === "Escape") {
      close();
    } else {
      return;
    }
    event.preventDefault();
  });
};
