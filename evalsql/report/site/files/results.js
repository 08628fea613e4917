// The rows of an answer as a table, with the first two columns of numbers drawn in it. Every value goes in as text.
const isNumber = (type) => /^(U?(TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL.*)$/.test(type);
const isWhole = (type) => /INT/.test(type);
const shown = (value, type) => {
  if (value == null) return "";
  if (!isNumber(type) || isWhole(type)) return value;
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  const text = number !== 0 && Math.abs(number) < 0.00005 ? number.toPrecision(3) : number.toFixed(4);
  return text.replace("-", "\u2212");
};
// Cells that name something with a page link to it.
const pages = () => new Map((window.searchable ?? []).map(([kind, name, address]) => [`${kind} ${name}`, address]));
const kindOf = (column) => /(^|_)(run|system|baseline|other)$/.test(column) ? "system" : /^topic$/.test(column) ? "topic" : "";
const drawn = ({types, rows}) => {
  const numbers = types.map((type, at) => at).filter((at) => isNumber(types[at]));
  const fractions = numbers.filter((at) => !isWhole(types[at]));
  const chosen = (fractions.length ? fractions : numbers).slice(0, 2);
  return rows.length > 1 && rows.length <= 400 ? chosen : [];
};
const picture = (row, chosen, low, high) => {
  const at = (value) => `${(3 + 94 * (value - low) / (high - low || 1)).toFixed(2)}%`;
  const values = chosen.map((column) => row[column] == null ? NaN : Number(row[column])).map((value) => Number.isFinite(value) ? value : null);
  const [first, second] = values;
  const from = second === undefined ? Math.max(low, Math.min(0, high)) : second;
  return h("svg", {"aria-hidden": "true"},
    first != null && from != null ? h("line", {class: "ends", x1: at(first), x2: at(from)}) : null,
    second != null ? h("circle", {class: "mark alike", cx: at(second)}) : null,
    first != null ? h("circle", {class: "mark", cx: at(first)}) : null);
};
const answerTable = (answer, withChart) => {
  const {columns, types, rows} = answer;
  const chosen = withChart ? drawn(answer) : [];
  const values = rows.flatMap((row) => chosen.map((at) => row[at])).filter((value) => value != null).map(Number).filter(Number.isFinite);
  const [low, high] = [Math.min(0, ...values), Math.max(...values, 0)];
  const top = low === 0 && high > 0 && high <= 1 ? 1 : high;
  const place = chosen.length ? chosen[0] : -1;
  const there = pages();
  const cell = (row, at) => {
    const address = there.get(`${kindOf(columns[at])} ${row[at]}`);
    const text = shown(row[at], types[at]);
    return h(at ? "td" : "th", {scope: at ? null : "row", class: isNumber(types[at]) ? "n" : null},
      address ? h("a", {href: document.documentElement.dataset.root + address}, text) : text);
  };
  const marks = chosen.map((at, nth) => `${nth ? "\u25cb" : "\u25cf"} ${columns[at]}`).join("  ");
  const told = `${marks}, ${shown(low, "DOUBLE")} to ${shown(top, "DOUBLE")}`;
  const parts = (cells, extra) => place < 0 ? cells : [...cells.slice(0, place), extra, ...cells.slice(place)];
  return h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Rows"},
    h("table", {class: "figures"},
      h("thead", {}, h("tr", {}, parts(columns.map((name, at) =>
        h("th", {scope: "col", class: isNumber(types[at]) ? "n" : null}, name)), h("td", {class: "p"}, told)))),
      h("tbody", {}, rows.map((row) => h("tr", {}, parts(row.map((_, at) => cell(row, at)),
        chosen.length ? h("td", {class: "p"}, picture(row, chosen, low, top)) : null))))));
};
const toCsv = ({columns, rows}) => [columns, ...rows].map((row) => row.map((value) =>
  value == null ? "" : /[",\n\r]|^$/.test(value) ? `"${value.replaceAll('"', '""')}"` : value).join(",")).join("\n") + "\n";
