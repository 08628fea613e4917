// The console: questions, the query in the address, rows. The engine is fetched at the first query.
(() => {
  const data = JSON.parse(byId("console-data").textContent);
  const area = byId("sql");
  const most = 10000;
  const drawnAtOnce = 500;
  let engine = null;
  let withChart = true;
  let asked = 0;
  const say = (text, isWrong = false) => {
    byId("status").textContent = text;
    byId("status").classList.toggle("wrong", isWrong);
  };
  const readAddress = () => {
    try {
      return /^#q=/.test(location.hash) ? decodeURIComponent(location.hash.slice(3)) : "";
    } catch {
      return ""; // it was cut within a sign
    }
  };
  // What reads whole rankings is not exact where the copy has only their first documents.
  const doubtful = (sql) => {
    const plain = sql.toLowerCase().replace(/'[^']*'|--.*$/gm, " ").replace(/\s+/g, " ").replace(/ ?([(),=]|:=) ?/g, "$1");
    const text = data.exact.reduce((rest, call) => {
      const name = call.slice(0, call.indexOf("("));
      const given = call.toLowerCase().replaceAll(" ", "");
      return rest.replaceAll(given, " ").replaceAll(`${name}()`, " ").replace(new RegExp(`\\b${name}\\b(?!\\()`, "g"), " ");
    }, plain);
    return data.partial.filter((name) => new RegExp(`\\b${name}\\b`).test(text));
  };
  const draw = (answer, sql, seconds) => {
    const few = {...answer, rows: answer.rows.slice(0, drawnAtOnce)};
    const view = (name, isChart) => h("button", {type: "button", "aria-pressed": String(withChart === isChart),
      onclick: () => { withChart = isChart; draw(answer, sql, seconds); }}, name);
    const file = URL.createObjectURL(new Blob([toCsv(answer)], {type: "text/csv"}));
    const count = `${answer.more ? "The first " : ""}${answer.rows.length.toLocaleString("en")} ${answer.rows.length === 1 ? "row" : "rows"} in ${seconds.toFixed(2)} s`;
    const cut = answer.rows.length > drawnAtOnce ? `, the first ${drawnAtOnce} of them below` : "";
    const doubts = doubtful(sql);
    byId("results").replaceChildren(
      h("div", {class: "over"}, h("b", {}, count + cut), h("span", {},
        drawn(few).length ? h("span", {class: "switch"}, view("table and chart", true), view("table", false)) : null, " ",
        h("a", {href: file, download: "answer.csv"}, "CSV"), " \u00b7 ",
        h("a", {href: `#q=${encodeURIComponent(sql)}`}, "link to this query"))),
      ...(doubts.length ? [h("p", {class: "look", id: "doubt"}, `Not exact here: ${doubts.join(", ")} ${doubts.length === 1 ? "reads" : "read"} whole rankings, and this copy has the first ${data.depth} documents of each.`)] : []),
      answerTable(few, withChart));
    sortable(byId("results"));
  };
  const run = async () => {
    const sql = area.value;
    const mine = asked += 1;
    if (!sql.trim()) return;
    if (readAddress() !== sql) history.replaceState(null, "", `#q=${encodeURIComponent(sql)}`);
    document.querySelectorAll("button.ask").forEach((each) => each.classList.toggle("chosen", each.dataset.sql === sql));
    byId("results").replaceChildren();
    byId("stop").hidden = false;
    document.body.dataset.state = "running";
    try {
      engine ??= startEngine(data, say);
      const ready = await engine;
      if (mine !== asked) return;
      say("Running \u2026");
      const begun = performance.now();
      const answer = await ready.ask(sql, most);
      if (mine !== asked) return;
      draw(answer, sql, (performance.now() - begun) / 1000);
      say("");
      document.body.dataset.state = "done";
    } catch (error) {
      if (mine !== asked) return;
      const isFile = location.protocol === "file:";
      say(isFile ? "The console needs a web server, for a browser opens no files from a folder. In the site's folder: python -m http.server" : error.message, true);
      document.body.dataset.state = "failed";
      if (isFile || !(await engine?.catch(() => null))) engine = null;
    } finally {
      if (mine === asked) byId("stop").hidden = true;
    }
  };
  const stop = async () => {
    asked += 1;
    byId("stop").hidden = true;
    say("Stopped.");
    document.body.dataset.state = "stopped";
    const ready = engine;
    engine = null;
    (await ready?.catch(() => null))?.stop();
  };
  const ask = (sql) => {
    area.value = sql;
    run();
  };
  byId("ask").addEventListener("submit", (event) => { event.preventDefault(); run(); });
  byId("stop").addEventListener("click", stop);
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); run(); }
  });
  document.querySelectorAll("button.ask").forEach((each) => each.addEventListener("click", () => ask(each.dataset.sql)));
  window.addEventListener("hashchange", () => { if (readAddress() && readAddress() !== area.value) ask(readAddress()); });
  completeIn(area, byId("completions"), data);
  if (readAddress()) ask(readAddress());
})();
