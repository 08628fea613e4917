"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const byId = (id) => document.getElementById(id);
  const board = document.querySelector("#leaderboard table");
  const rows = [...board.tBodies[0].rows];

  // Leaderboard: sorting, filtering, choice of the runs that line charts show.
  const sortBy = (head, column) => {
    const descending = head.getAttribute("aria-sort") !== "descending" && column > 1;
    const ascending = column <= 1 && head.getAttribute("aria-sort") === "ascending";
    const falling = descending || ascending;
    const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const compared = (a, b) => {
      const [x, y] = [key(a), key(b)];
      const order = column > 1 ? Number(x) - Number(y) : x.localeCompare(y);
      return falling ? -order : order;
    };
    board.querySelectorAll("th[aria-sort]").forEach((other) => other.setAttribute("aria-sort", "none"));
    head.setAttribute("aria-sort", falling ? "descending" : "ascending");
    rows.sort(compared).forEach((row) => board.tBodies[0].append(row));
  };
  board.querySelectorAll("thead th[aria-sort]").forEach((head) => {
    head.querySelector("button").addEventListener("click", () => sortBy(head, head.cellIndex));
  });
  byId("filter").addEventListener("input", (event) => {
    const wanted = event.target.value.toLowerCase();
    let shown = 0;
    rows.forEach((row) => {
      const fits = row.dataset.run.toLowerCase().includes(wanted);
      row.classList.toggle("hidden", !fits);
      shown += fits;
    });
    byId("shown").textContent = `${shown} of ${rows.length} runs`;
  });
  const drawn = () => new Set(rows.filter((row) => row.querySelector("input").checked).map((row) => row.dataset.run));

  const fill = (select, names, chosen) => {
    names.forEach((name) => select.add(new Option(name, name, false, name === chosen)));
  };
  document.querySelectorAll("select.measures").forEach((select) => fill(select, data.measures, data.measures[0]));
  document.querySelectorAll("select.runs").forEach((select) => {
    fill(select, data.runs, data.runs[Math.min(Number(select.dataset.at), data.runs.length - 1)]);
  });

  const objects = (table) => table.rows.map((row) => Object.fromEntries(table.columns.map((name, at) => [name, row[at]])));
  const tables = {};
  const table = (name) => (tables[name] ??= objects(data.tables[name]));
  const ofRuns = (name) => () => {
    const wanted = drawn();
    const places = new Map(data.runs.map((run, at) => [run, at]));
    return table(name).filter((row) => wanted.has(row.run)).sort((a, b) => places.get(a.run) - places.get(b.run));
  };
  const value = (measure, run, topic) => data.values[measure]?.[run]?.[topic];

  // What each chart shows, asked for when it is drawn.
  const charts = {
    differences: () => {
      const [measure, run, baseline] = ["measure", "run", "baseline"].map((name) => byId(`differences-${name}`).value);
      return data.topics.flatMap((topic, at) => {
        const [a, b] = [value(measure, run, at), value(measure, baseline, at)];
        return a == null || b == null ? [] : [{topic, run, baseline, value: a, baseline_value: b, difference: a - b}];
      });
    },
    topics: () => {
      const measure = byId("topics-measure").value;
      return data.runs.flatMap((run) => data.topics.flatMap((topic, at) => {
        const found = value(measure, run, at);
        return found == null ? [] : [{run, topic, value: found}];
      }));
    },
    pr: ofRuns("pr"),
    pr_levels: () => {
      const run = byId("precision-recall-run").value;
      return data.topics.flatMap((topic, at) =>
        (data.pr_topics[run]?.[at] ?? []).map((precision, level) => ({topic, recall: data.levels[level], precision})));
    },
    roc: ofRuns("roc"),
    distribution: () => {
      const measure = byId("distribution-measure").value;
      return table("distribution").filter((row) => row.measure === measure);
    },
    tap: ofRuns("tap"),
    agreement: () => table("agreement").filter((row) => row.tau_b !== null),
    unjudged: ofRuns("unjudged"),
  };

  const themed = () => {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const [ink, soft, line] = [colour("--ink"), colour("--soft"), colour("--line")];
    const text = {labelColor: ink, titleColor: ink};
    return {
      ...data.config,
      background: "transparent",
      view: {stroke: line},
      axis: {...data.config.axis, ...text, gridColor: line, domainColor: soft, tickColor: soft},
      legend: {...data.config.legend, ...text},
      header: {...data.config.header, ...text},
      title: {...data.config.title, color: ink, subtitleColor: soft},
    };
  };
  const draw = (figure) => {
    figure.dataset.wanted = "yes";
    const name = figure.dataset.chart;
    const spec = structuredClone(data.specs[name]);
    const values = charts[name]();
    if (values.length === 0) {
      figure.view?.finalize();
      figure.view = undefined;
      figure.textContent = "Nothing to draw.";
      figure.dataset.drawn = "nothing";
      return Promise.resolve();
    }
    spec.data = {values};
    spec.config = themed();
    // A chart with a step for each run finds its height itself and cannot fill a container.
    if (typeof spec.height === "object") spec.width = Math.max(240, figure.clientWidth - 320);
    else if (!spec.facet) spec.width = "container";
    delete spec.title;
    delete spec.$schema;
    return vegaEmbed(figure, spec, {mode: "vega-lite", renderer: "svg", actions: false, logLevel: 1}).then((drawing) => {
      figure.view = drawing.view;
      figure.dataset.drawn = name;
    });
  };
  const figures = [...document.querySelectorAll(".chart")];
  const seen = new IntersectionObserver((entries) => {
    entries.filter((entry) => entry.isIntersecting && !entry.target.dataset.wanted).forEach((entry) => draw(entry.target));
  }, {rootMargin: "300px"});
  figures.forEach((figure) => seen.observe(figure));
  const again = (chosen) => figures.filter((figure) => figure.dataset.wanted && chosen(figure)).forEach(draw);
  document.querySelectorAll("main section").forEach((section) => {
    section.querySelectorAll(".controls select").forEach((select) =>
      select.addEventListener("change", () => again((figure) => section.contains(figure))));
  });
  board.addEventListener("change", () => again((figure) => "lines" in figure.dataset));
  dark.addEventListener("change", () => again(() => true));
  window.addEventListener("beforeprint", () => figures.filter((figure) => !figure.dataset.wanted).forEach(draw));
})();
