// The methods of console that few programs use.
"use strict";
(function (module, exports, { builtin, process, log, indent, setIndent }) {
  const { inspect, format } = builtin("inspect");
  const counts = new Map(), timers = new Map();

  // --- tables ----------------------------------------------------------------------------------------------
  const cell = (value) => inspect(value, { maxArrayLength: 3, breakLength: Infinity, depth: typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 2 ? -1 : 0 });

  function drawn(head, columns) {
    const rows = Math.max(...columns.map((column) => column.length));
    const widths = head.map((title, i) => Math.max(title.length, ...columns[i].map((text) => text.length)) + 2);
    const bars = widths.map((width) => "─".repeat(width));
    const line = (cells) => `│${cells.map((text, i) => ` ${text.padEnd(widths[i] - 1)}`).join("│")}│`;
    const lines = [`┌${bars.join("┬")}┐`, line(head), `├${bars.join("┼")}┤`];
    for (let row = 0; row < rows; row++) lines.push(line(columns.map((column) => column[row] ?? "")));
    return [...lines, `└${bars.join("┴")}┘`].join("\n");
  }

  function table(data, only) {
    if (typeof data !== "object" || data === null) return log(process.stdout, [data]);
    const isMap = data instanceof Map, isList = isMap || data instanceof Set;
    const rows = isMap ? [...data].map(([key, value], i) => [String(i), value, key]) : isList ? [...data].map((value, i) => [String(i), value]) : Object.keys(data).map((key) => [key, data[key]]);
    const titles = [], columns = new Map(), values = [];
    let hasValues = false;
    rows.forEach(([, value], row) => {
      if (isMap || typeof value !== "object" || value === null) {
        hasValues = true;
        values[row] = cell(value);
        return;
      }
      for (const key of only ?? Object.keys(value)) {
        if (!columns.has(key)) {
          columns.set(key, []);
          titles.push(key);
        }
        if (Object.hasOwn(value, key)) columns.get(key)[row] = cell(value[key]);
      }
    });
    const filled = (column) => Array.from({ length: rows.length }, (_, row) => column[row] ?? "");
    const head = [isList ? "(iteration index)" : "(index)", ...(isMap ? ["Key"] : []), ...titles, ...(hasValues ? ["Values"] : [])];
    const body = [rows.map(([key]) => key), ...(isMap ? [rows.map(([, , key]) => cell(key))] : []), ...titles.map((title) => filled(columns.get(title))), ...(hasValues ? [filled(values)] : [])];
    log(process.stdout, [drawn(head, body)]);
  }

  // --- times -----------------------------------------------------------------------------------------------
  function passed(label) {
    const milliseconds = performance.now() - timers.get(label);
    return milliseconds >= 1000 ? `${(milliseconds / 1000).toFixed(3)}s` : `${Number(milliseconds.toFixed(3))}ms`;
  }

  function timeLog(label = "default", ...data) {
    if (timers.has(label)) log(process.stdout, [`${label}: ${passed(label)}`, ...data]);
  }

  class Console {
    constructor(stdout, stderr) {
      const streams = stdout.stdout ? stdout : { stdout, stderr };
      const to = (stream) => (...args) => log(stream, args);
      this.log = this.info = this.debug = to(streams.stdout);
      this.error = this.warn = to(streams.stderr ?? streams.stdout);
    }
  }

  Object.assign(exports, {
    table,
    Console,
    dir: (value, options) => log(process.stdout, [inspect(value, { customInspect: false, ...options })]),
    dirxml: (...args) => log(process.stdout, args),
    group(...args) {
      if (args.length) log(process.stdout, args);
      setIndent(`${indent()}  `);
    },
    groupEnd: () => setIndent(indent().slice(2)),
    count(label = "default") {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      log(process.stdout, [`${label}: ${counts.get(label)}`]);
    },
    countReset: (label = "default") => void counts.delete(label),
    time: (label = "default") => void timers.set(label, performance.now()),
    timeLog,
    timeEnd(label = "default") {
      timeLog(label);
      timers.delete(label);
    },
    assert(value, ...args) {
      if (value) return;
      if (typeof args[0] === "string") args[0] = `Assertion failed: ${args[0]}`;
      else args.unshift("Assertion failed");
      log(process.stderr, args);
    },
    trace(...args) {
      const stack = new Error().stack.split("\n").slice(1).join("\n");
      const text = format(...args);
      log(process.stderr, [`Trace${text && `: ${text}`}\n${stack}`]);
    },
  });
  exports.groupCollapsed = exports.group;
})
