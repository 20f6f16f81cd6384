// How console.log shows values: as Node does if they fit into a line.
"use strict";
(function (module, exports) {
  const LINE_WIDTH = 80, INLINE_LEVELS = 3, MAX_DEPTH = 2, MAX_ENTRIES = 100, MAX_ROWS = 6, MAX_BYTES = 50;
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const IDENTIFIER = /^[a-zA-Z_][a-zA-Z_0-9]*$/;

  function quote(text) {
    const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes("`") && !text.includes("${") ? "`" : "'";
    const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"');
    return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
  }

  function showPrimitive(value) {
    if (typeof value === "string") return quote(value);
    if (typeof value === "bigint") return `${value}n`;
    return Object.is(value, -0) ? "-0" : String(value);
  }

  function showFunction(value, name) {
    if (!/^class\b/.test(Function.prototype.toString.call(value))) return `[${name ?? "Function"}${value.name ? `: ${value.name}` : " (anonymous)"}]`;
    const parent = Object.getPrototypeOf(value)?.name;
    return `[class ${value.name || "(anonymous)"}${parent ? ` extends ${parent}` : ""}]`;
  }

  function showError(error, name, state) {
    let text = typeof error.stack === "string" && error.stack ? error.stack : String(error);
    if (error.name === "Error" && text.startsWith("Error")) text = name + text.slice("Error".length); // of a class without a name of its own
    return (text.includes("\n    at") ? text : `[${text}]`).replaceAll("\n", `\n${" ".repeat(state.indent)}`);
  }

  // --- entries ---------------------------------------------------------------------------------------------
  const several = (count, word) => `${count} ${word}${count > 1 ? "s" : ""}`;

  function limited(values, showOne) {
    const entries = values.slice(0, MAX_ENTRIES).map(showOne);
    if (values.length > MAX_ENTRIES) entries.push(`... ${several(values.length - MAX_ENTRIES, "more item")}`);
    return entries;
  }

  function arrayEntries(list, showOne) {
    const entries = [];
    let at = 0;
    while (at < list.length && entries.length < MAX_ENTRIES) {
      let end = at;
      while (end < list.length && !Object.hasOwn(list, end)) end++;
      entries.push(end > at ? `<${several(end - at, "empty item")}>` : showOne(list[at]));
      at = Math.max(end, at + (end === at));
    }
    if (at < list.length) entries.push(`... ${several(list.length - at, "more item")}`);
    return entries;
  }

  function keysOf(value) {
    const isList = Array.isArray(value) || value instanceof TypedArray;
    return Reflect.ownKeys(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key) && !(isList && /^\d+$/.test(String(key))));
  }

  function showProperty(value, key, level, state) {
    const found = Object.getOwnPropertyDescriptor(value, key);
    const text = "value" in found ? show(found.value, level, state) : `[${[found.get && "Getter", found.set && "Setter"].filter(Boolean).join("/")}]`;
    return `${typeof key === "symbol" ? `[${String(key)}]` : IDENTIFIER.test(key) ? key : quote(key)}: ${text}`;
  }

  // --- objects ---------------------------------------------------------------------------------------------
  function show(value, level, state) {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return showPrimitive(value);
    if (state.open.includes(value)) {
      if (!state.circular.includes(value)) state.circular.push(value);
      return `[Circular *${state.circular.indexOf(value) + 1}]`;
    }
    const prototype = Object.getPrototypeOf(value);
    const name = prototype === null ? null : prototype.constructor?.name || "Object";
    const inner = (one) => show(one, level + 1, state);
    let keys = keysOf(value), braces = ["{", "}"], base = "", entriesOf = () => [];
    const kind = (what, size) => (name === null ? `[${what}${size}: null prototype] ` : `${name}${size} `);
    if (Array.isArray(value)) {
      braces = [`${name === "Array" ? "" : kind("Array", `(${value.length})`)}[`, "]"];
      entriesOf = () => arrayEntries(value, inner);
    } else if (typeof Buffer === "function" && value instanceof Buffer) {
      const bytes = Array.from(value.subarray(0, MAX_BYTES), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
      return `<Buffer ${bytes}${value.length > MAX_BYTES ? ` ... ${several(value.length - MAX_BYTES, "more byte")}` : ""}>`;
    } else if (value instanceof TypedArray) {
      braces = [`${kind("TypedArray", `(${value.length})`)}[`, "]"];
      entriesOf = () => limited(Array.from(value), showPrimitive);
    } else if (value instanceof Map) {
      braces[0] = `${kind("Map", `(${value.size})`)}{`;
      entriesOf = () => limited([...value], ([key, one]) => `${inner(key)} => ${inner(one)}`);
    } else if (value instanceof Set) {
      braces[0] = `${kind("Set", `(${value.size})`)}{`;
      entriesOf = () => limited([...value], inner);
    } else if (typeof value === "function") base = showFunction(value, name);
    else if (value instanceof RegExp) base = String(value);
    else if (value instanceof Date) base = Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
    else if (value instanceof Error) {
      base = showError(value, name ?? "Error", state);
      keys = keys.filter((key) => !["name", "message", "stack"].includes(key));
      if (Object.hasOwn(value, "cause")) entriesOf = () => [`[cause]: ${inner(value.cause)}`];
    } else {
      if (name !== "Object") braces[0] = `${kind("Object", "")}{`;
      if (value instanceof Promise) entriesOf = () => ["<pending>"]; // a program cannot see the state of a promise
      if (value instanceof WeakMap || value instanceof WeakSet) entriesOf = () => ["<items unknown>"];
    }
    const isEmpty = !(keys.length || value.length || value.size);
    if (level > state.depth && !isEmpty) return `[${Array.isArray(value) ? "Array" : kind("Object", "").trim()}]`;

    state.open.push(value);
    if (!isEmpty) state.deepest = level;
    state.indent += 2;
    const entries = entriesOf();
    for (const key of keys) entries.push(showProperty(value, key, level + 1, state));
    state.indent -= 2;
    state.open.pop();
    const place = state.circular.indexOf(value);
    if (place >= 0) base = `<ref *${place + 1}>${base ? ` ${base}` : ""}`;
    if (!entries.length) return base || `${braces[0]}${braces[1]}`;
    return layout(entries, base, braces, level, state);
  }

  function layout(entries, base, braces, level, state) {
    const start = base ? `${base} ${braces[0]}` : braces[0];
    const length = entries.reduce((sum, entry) => sum + entry.length + 2, state.indent + start.length + 10);
    if (state.deepest - level < INLINE_LEVELS && length <= state.breakLength && !/\n/.test(start + entries.join("")))
      return `${start} ${entries.join(", ")} ${braces[1]}`;
    const line = `\n${" ".repeat(state.indent)}`;
    const rows = braces[1] === "]" && entries.length > MAX_ROWS ? inRows(entries, state.indent) : entries;
    return `${start}${line}  ${rows.join(`,${line}  `)}${line}${braces[1]}`;
  }

  // The entries of a list, as many on a line as fit.
  function inRows(entries, indent) {
    const rows = [];
    for (const entry of entries) {
      const row = rows.length ? `${rows.at(-1)}, ${entry}` : "";
      if (row && indent + row.length < LINE_WIDTH && !row.includes("\n")) rows[rows.length - 1] = row;
      else rows.push(entry);
    }
    return rows;
  }

  // Of Node's options there are `depth` and `breakLength`.
  function inspect(value, options) {
    const { depth = MAX_DEPTH, breakLength = LINE_WIDTH } = { ...options };
    return show(value, 0, { depth: depth ?? Infinity, breakLength, indent: 0, deepest: 0, open: [], circular: [] });
  }

  // --- format ----------------------------------------------------------------------------------------------
  const toNumber = (convert) => (value) => (typeof value === "bigint" ? `${value}n` : showPrimitive(typeof value === "symbol" ? NaN : convert(value)));
  const CONVERSIONS = {
    s: (value) => {
      if (typeof value === "string" || typeof value === "function") return String(value);
      if (typeof value !== "object" || value === null) return showPrimitive(value);
      return typeof value.toString === "function" && !String(value.toString).includes("[native code]") ? String(value) : inspect(value, { depth: 0 });
    },
    d: toNumber(Number),
    i: toNumber((value) => parseInt(value)),
    f: toNumber((value) => parseFloat(value)),
    j: (value) => JSON.stringify(value),
    o: (value) => inspect(value, { depth: 4 }),
    O: (value) => inspect(value),
    c: () => "",
  };

  function format(...args) {
    let text = "", next = 0;
    if (typeof args[0] === "string") {
      next = 1;
      text = args.length === 1 ? args[0] : args[0].replace(/%(.)/g, (whole, kind) => {
        if (kind === "%") return "%";
        return Object.hasOwn(CONVERSIONS, kind) && next < args.length ? CONVERSIONS[kind](args[next++]) : whole;
      });
    }
    for (; next < args.length; next++) text += `${next ? " " : ""}${typeof args[next] === "string" ? args[next] : inspect(args[next])}`;
    return text;
  }

  Object.assign(exports, { inspect, format });
})
