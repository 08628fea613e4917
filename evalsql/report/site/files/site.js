// Search: the index is fetched when somebody looks for something, as a script, so that it works from a folder too.
(() => {
  const box = byId("search");
  const input = box.querySelector("input");
  const list = byId("found");
  const root = document.documentElement.dataset.root;
  const most = 12;
  let loading = null;
  let current = -1;
  box.hidden = false;
  const load = () => loading ??= window.searchable ? Promise.resolve() : new Promise((done, fail) => {
    const script = document.createElement("script");
    Object.assign(script, {src: `${root}search.js`, onload: done, onerror: fail});
    document.head.append(script);
  });
  const show = (entries, nothing) => {
    current = -1;
    input.removeAttribute("aria-activedescendant");
    list.replaceChildren(...entries.map(([kind, name, address, words], at) => {
      const soft = h("span", {class: "soft"}, ` ${kind}${words ? `: ${words}` : ""}`);
      const link = h("a", {href: root + address, tabindex: -1}, name, soft);
      return h("li", {id: `found-${at}`, role: "option", "aria-selected": "false"}, link);
    }));
    if (!entries.length && nothing) list.append(h("li", {}, nothing));
    list.hidden = !list.children.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
  };
  const find = async () => {
    const wanted = input.value.trim().toLowerCase();
    if (!wanted) return show([], "");
    await load();
    if (wanted !== input.value.trim().toLowerCase()) return undefined;
    const score = ([, name, , words]) => {
      const low = name.toLowerCase();
      return low === wanted ? 0 : low.startsWith(wanted) ? 1 : low.includes(wanted) ? 2 : words.toLowerCase().includes(wanted) ? 3 : 9;
    };
    const scored = window.searchable.map((entry, at) => [score(entry), at, entry]).filter(([value]) => value < 9);
    scored.sort((one, other) => one[0] - other[0] || one[1] - other[1]);
    return show(scored.slice(0, most).map(([, , entry]) => entry), "Nothing has such a name.");
  };
  const choose = (step) => {
    const items = [...list.querySelectorAll("[role=option]")];
    if (!items.length) return;
    current = (current + step + items.length) % items.length;
    items.forEach((item, at) => item.setAttribute("aria-selected", String(at === current)));
    input.setAttribute("aria-activedescendant", items[current].id);
  };
  input.addEventListener("input", find);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      choose(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter") {
      event.preventDefault();
      (list.querySelector("[aria-selected=true] a") ?? list.querySelector("a"))?.click();
    } else if (event.key === "Escape") {
      show([], "");
    }
  });
  document.addEventListener("click", (event) => {
    if (!box.contains(event.target)) show([], "");
  });
})();
// Tables: a heading sorts the rows by its column, numbers from the greatest first; what is empty stays at the end.
const sortable = (root) => root.querySelectorAll("table.figures > thead th").forEach((head) => {
  const body = head.closest("table").tBodies[0];
  if (body.rows.length < 2) return;
  const words = new Intl.Collator("en", {numeric: true});
  const text = (row) => row.cells[head.cellIndex].textContent.trim();
  const value = (row) => Number(text(row).replace("\u2212", "-").replace(/,(?=\d{3})|[%\u2020\u2021]| .*/g, ""));
  const sort = () => {
    const areNumbers = [...body.rows].every((row) => Number.isFinite(value(row)));
    const before = head.getAttribute("aria-sort");
    const sign = (before ? before === "ascending" : areNumbers) ? -1 : 1;
    head.parentElement.querySelectorAll("[aria-sort]").forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", sign < 0 ? "descending" : "ascending");
    const order = (a, b) => areNumbers ? value(a) - value(b) : words.compare(text(a), text(b));
    [...body.rows].sort((a, b) => !text(a) - !text(b) || sign * order(a, b)).forEach((row) => body.append(row));
  };
  head.append(h("button", {type: "button", onclick: sort}, ...head.childNodes));
});
sortable(document);
