// The methods of console that few programs use.
"use strict";
(function (module, exports, { builtin, process, log, indent, setIndent }) {
  const { inspect, format } = builtin("inspect");
  const counts = new Map(), timers = new Map();

  function timeLog(label = "default", ...data) {
    if (timers.has(label)) log(process.stdout, [`${label}: ${Number((performance.now() - timers.get(label)).toFixed(3))}ms`, ...data]);
  }

  Object.assign(exports, {
    table: (data) => log(process.stdout, [data]),
    dir: (value, options) => log(process.stdout, [inspect(value, options)]),
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
      const text = format(...args);
      log(process.stderr, [`Trace${text && `: ${text}`}\n${new Error().stack.split("\n").slice(1).join("\n")}`]);
    },
  });
  exports.groupCollapsed = exports.group;
})
