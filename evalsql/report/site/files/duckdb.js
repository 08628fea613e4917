// DuckDB-Wasm without its JavaScript package, which would bring others: this page speaks to the worker itself, in the
// messages of its fixed version. Results come as CSV, whose doubles are exact.
const startEngine = async ({worker, wasm, sums, file, packed}, say) => {
  const fetched = async (address, integrity, type) => {
    const response = await fetch(address, integrity ? {integrity} : {});
    if (!response.ok) throw new Error(`${address}: ${response.status} ${response.statusText}`);
    return new Blob([await response.arrayBuffer()], {type});
  };
  say("Fetching DuckDB-Wasm \u2026");
  const [script, module] = await Promise.all([
    fetched(worker, sums[0], "text/javascript"), fetched(wasm, sums[1], "application/wasm"),
  ]);
  const running = new Worker(URL.createObjectURL(script));
  const waiting = new Map();
  let last = 0;
  running.onmessage = ({data}) => {
    const asked = waiting.get(data.requestId);
    if (!asked || data.type === "LOG" || data.type === "INSTANTIATE_PROGRESS") return;
    waiting.delete(data.requestId);
    if (data.type === "ERROR") asked.fail(new Error(data.data.message));
    else asked.done(data.data);
  };
  running.onerror = (event) => {
    waiting.forEach(({fail}) => fail(new Error(event.message || "DuckDB-Wasm stopped")));
    waiting.clear();
  };
  const send = (type, data, moved = []) => new Promise((done, fail) => {
    last += 1;
    waiting.set(last, {done, fail});
    running.postMessage({messageId: last, type, data}, moved);
  });
  say("Starting DuckDB-Wasm \u2026");
  await send("INSTANTIATE", [URL.createObjectURL(module), null]);
  await send("OPEN", {path: ":memory:", accessMode: 3, query: {}, filesystem: {reliableHeadRequests: true, allowFullHTTPReads: true, forceFullHTTPReads: false}});
  say("Fetching the warehouse \u2026");
  if (packed) {
    const bytes = await unpacked(await fetched(file));
    await send("REGISTER_FILE_BUFFER", ["warehouse.duckdb", bytes], [bytes.buffer]);
  } else {
    await send("REGISTER_FILE_URL", ["warehouse.duckdb", new URL(file, location.href).href, 4, false]);
  }
  const connection = await send("CONNECT", null);
  const run = (sql) => send("RUN_QUERY", [connection, sql]);
  await run("set autoinstall_known_extensions = false; set autoload_known_extensions = false");
  await run("attach 'warehouse.duckdb' as warehouse (read_only); use warehouse");
  const rows = async (sql) => {
    await run(`copy (${sql}\n) to 'answer.csv' (format csv, header)`);
    const bytes = await send("COPY_FILE_TO_BUFFER", "answer.csv");
    await send("DROP_FILE", "answer.csv");
    return parseCsv(new TextDecoder().decode(bytes));
  };
  // At most `most` rows of a query, with the types of its columns.
  const ask = async (sql, most) => {
    const query = sql.trim().replace(/[;\s]+$/, "");
    const [open, close] = /^(describe|summarize|show|desc)\b/i.test(query) ? ["from (", ")"] : ["", ""];
    const asked = (before, after) => rows(`${before}${open}\n${query}\n${close}${after}`).catch((error) => {
      throw new Error(ofQuery(error.message, query));
    });
    const types = (await asked("select column_name, column_type from (describe ", ")")).slice(1);
    const [columns, ...found] = await asked("select * from (", `) limit ${most + 1}`);
    return {columns: types.map(([name], at) => name ?? columns[at]), types: types.map(([, type]) => type), rows: found.slice(0, most), more: found.length > most};
  };
  return {ask, stop: () => running.terminate()};
};
// An error shows the line of the query that it is in, which has one line of ours above it and others below.
const ofQuery = (message, query) => message.replace(/\n*LINE (\d+):[^]*$/, (excerpt, line) => line - 1 > query.split("\n").length
  ? ", at the end of the query" : excerpt.replace(`LINE ${line}: `, (head) => `LINE ${line - 1}: `.padEnd(head.length)));
// Some hosts unpack .gz on their way; then it is there already.
const unpacked = async (blob) => {
  const [first, second] = new Uint8Array(await blob.slice(0, 2).arrayBuffer());
  if (first !== 0x1f || second !== 0x8b) return new Uint8Array(await blob.arrayBuffer());
  return new Uint8Array(await new Response(blob.stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer());
};
// Rows of texts; null is an empty field without quotes.
const parseCsv = (text) => {
  const rows = [];
  let row = [];
  let at = 0;
  while (at < text.length) {
    let field;
    if (text[at] === '"') {
      field = "";
      for (;;) {
        const end = text.indexOf('"', at + 1);
        field += text.slice(at + 1, end);
        at = end + 1;
        if (text[at] !== '"') break;
        field += '"';
      }
    } else {
      let end = at;
      while (end < text.length && text[end] !== "," && text[end] !== "\n") end += 1;
      field = end > at ? text.slice(at, end) : null;
      at = end;
    }
    row.push(field);
    if (text[at] === "\n" || at >= text.length) {
      rows.push(row);
      row = [];
    } else if (at + 1 >= text.length || text[at + 1] === "\n") {
      row.push(null);
      at += 1;
      rows.push(row);
      row = [];
    }
    at += 1;
  }
  return rows;
};
