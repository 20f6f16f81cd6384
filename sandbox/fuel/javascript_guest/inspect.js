// util.inspect and util.format: how Node shows values.
"use strict";
(function (module, exports) {
  const LINE_WIDTH = 80, GROUP_WIDTH = 16, MIN_GROUP = 6, SHORT_ENTRIES = 3;
  const DEFAULTS = { depth: 2, breakLength: LINE_WIDTH, compact: SHORT_ENTRIES, maxArrayLength: 100, maxStringLength: 10000, showHidden: false, sorted: false, getters: false, colors: false };
  const custom = Symbol.for("nodejs.util.inspect.custom");
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const SPECIAL_FUNCTIONS = new Set(["AsyncFunction", "AsyncGeneratorFunction", "GeneratorFunction"]);
  const IDENTIFIER = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
  const ESCAPES = { "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "\\": "\\\\" };

  function quote(text) {
    let mark = "'";
    if (text.includes("'")) mark = !text.includes('"') ? '"' : !text.includes("`") && !text.includes("${") ? "`" : "'";
    const escaped = text.replace(/[\0-\x1f\x7f-\x9f\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, (char) => {
      const code = char.charCodeAt(0);
      return ESCAPES[char] ?? (code < 256 ? `\\x${code.toString(16).toUpperCase().padStart(2, "0")}` : `\\u${code.toString(16)}`);
    });
    return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
  }

  const showNumber = (number) => (Object.is(number, -0) ? "-0" : String(number));

  function showPrimitive(value, state) {
    switch (typeof value) {
      case "string": {
        let text = value, more = "";
        if (text.length > state.maxStringLength) {
          const left = text.length - state.maxStringLength;
          text = text.slice(0, state.maxStringLength);
          more = `... ${left} more character${left > 1 ? "s" : ""}`;
        }
        // A long text of several lines is broken at its lines.
        if (state.compact !== true && text.length > GROUP_WIDTH && text.length > state.breakLength - state.indent - 4)
          return text.split(/(?<=\n)/).map(quote).join(` +\n${" ".repeat(state.indent + 2)}`) + more;
        return quote(text) + more;
      }
      case "number":
        return showNumber(value);
      case "bigint":
        return `${value}n`;
      default:
        return String(value);
    }
  }

  // --- names -----------------------------------------------------------------------------------------------
  function constructorName(value) {
    for (let object = value; object; object = Object.getPrototypeOf(object)) {
      const found = Object.getOwnPropertyDescriptor(object, "constructor")?.value;
      if (typeof found === "function" && found.name !== "" && value instanceof found) return found.name;
    }
    return null;
  }

  function tagOf(value, name) {
    const tag = value[Symbol.toStringTag];
    return typeof tag === "string" && tag !== name && !Object.prototype.propertyIsEnumerable.call(value, Symbol.toStringTag) ? tag : "";
  }

  function prefix(name, tag, fallback, size = "") {
    if (name === null) return tag && tag !== fallback ? `[${fallback}${size}: null prototype] [${tag}] ` : `[${fallback}${size}: null prototype] `;
    return tag && tag !== name ? `${name}${size} [${tag}] ` : `${name}${size} `;
  }

  function functionBase(value, name, tag) {
    const text = Function.prototype.toString.call(value);
    if (/^class\b/.test(text)) {
      let base = `[class ${Object.hasOwn(value, "name") && value.name ? value.name : "(anonymous)"}`;
      if (name !== "Function" && name !== null) base += ` [${name}]`;
      if (tag && name !== tag) base += ` [${tag}]`;
      const parent = Object.getPrototypeOf(value)?.name;
      if (name === null) base += " extends null";
      else if (parent) base += ` extends ${parent}`;
      return `${base}]`;
    }
    const own = value[Symbol.toStringTag], kind = SPECIAL_FUNCTIONS.has(own) ? own : "Function";
    let base = `[${kind}`;
    if (name === null) base += " (null prototype)";
    base += value.name === "" ? " (anonymous)" : `: ${typeof value.name === "string" ? value.name : String(value.name)}`;
    base += "]";
    if (name !== kind && name !== null && name !== "Function") base += ` ${name}`;
    return base + (tag && tag !== kind && tag !== name ? ` [${tag}]` : "");
  }

  // --- errors ----------------------------------------------------------------------------------------------
  function errorBase(error, keys, state) {
    const name = error.name != null ? String(error.name) : "Error";
    let stack = typeof error.stack === "string" && error.stack ? error.stack : Error.prototype.toString.call(error);
    for (const key of ["name", "message", "stack"]) {
      const place = keys.indexOf(key);
      if (place >= 0 && (typeof error[key] !== "string" || stack.includes(error[key]))) keys.splice(place, 1);
    }
    if ("cause" in error && Object.hasOwn(error, "cause") && !keys.includes("cause")) keys.push("cause");
    if (Array.isArray(error.errors) && Object.hasOwn(error, "errors") && !keys.includes("errors")) keys.push("errors");
    // A class that does not set its name is shown by the class's.
    const made = constructorName(error);
    if (made === null || (name.endsWith("Error") && stack.startsWith(name) && [undefined, ":", "\n"].includes(stack[name.length]))) {
      const header = made === null ? /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n\s+at)/.exec(stack)?.[1] ?? "" : name;
      const shown = prefix(made, tagOf(error, made), header || "Error").slice(0, -1);
      if (name !== shown) stack = shown.includes(name) ? (header ? shown + stack.slice(header.length) : `${shown}: ${stack}`) : `${shown} [${name}]${stack.slice(header.length)}`;
    }
    const start = (error.message && stack.indexOf(error.message)) || -1;
    const frames = stack.indexOf("\n    at", start < 0 ? 0 : start + error.message.length);
    if (frames < 0) stack = `[${stack}]`;
    return state.indent ? stack.replaceAll("\n", `\n${" ".repeat(state.indent)}`) : stack;
  }

  // --- entries ---------------------------------------------------------------------------------------------
  function keysOf(value, state, isIndexed) {
    let keys = state.showHidden ? Object.getOwnPropertyNames(value) : Object.keys(value);
    if (isIndexed) keys = keys.filter((key) => !/^(0|[1-9]\d*)$/.test(key) || Number(key) >= 2 ** 32 - 1);
    const symbols = Object.getOwnPropertySymbols(value).filter((key) => state.showHidden || Object.prototype.propertyIsEnumerable.call(value, key));
    if (state.sorted) keys.sort(typeof state.sorted === "function" ? state.sorted : undefined);
    return [...keys, ...symbols];
  }

  function showProperty(value, key, depth, state, isIndex) {
    const found = Object.getOwnPropertyDescriptor(value, key) ?? { value: value[key], enumerable: true };
    let text;
    if (found.value !== undefined || !(found.get || found.set)) {
      const step = state.compact !== true || isIndex ? 2 : 3;
      state.indent += step;
      text = show(found.value, depth, state);
      state.indent -= step;
    } else if (found.get && state.getters) text = `[${found.set ? "Getter/Setter" : "Getter"}: ${show(value[key], depth, state)}]`;
    else text = found.get ? (found.set ? "[Getter/Setter]" : "[Getter]") : "[Setter]";
    if (isIndex) return text;
    const name = typeof key === "symbol" ? `[${String(key)}]` : key === "__proto__" ? "['__proto__']" : IDENTIFIER.test(key) ? key : quote(key);
    return `${found.enumerable === false ? `[${name}]` : name}: ${text}`;
  }

  const more = (count) => `... ${count} more item${count > 1 ? "s" : ""}`;

  function arrayEntries(value, depth, state) {
    const entries = [], limit = Math.min(state.maxArrayLength, value.length);
    let at = 0;
    while (at < value.length && entries.length < limit) {
      if (Object.hasOwn(value, at)) entries.push(showProperty(value, String(at++), depth, state, true));
      else {
        let end = at + 1;
        while (end < value.length && !Object.hasOwn(value, end)) end++;
        entries.push(`<${end - at} empty item${end - at > 1 ? "s" : ""}>`);
        at = end;
      }
    }
    if (at < value.length) entries.push(more(value.length - at));
    return entries;
  }

  function typedEntries(value, state) {
    const limit = Math.min(state.maxArrayLength, value.length), entries = [];
    for (let i = 0; i < limit; i++) entries.push(showPrimitive(value[i], state));
    if (value.length > limit) entries.push(more(value.length - limit));
    return entries;
  }

  function indented(state, work) {
    state.indent += 2;
    const result = work();
    state.indent -= 2;
    return result;
  }

  function limited(values, state, showOne) {
    const limit = Math.min(state.maxArrayLength, values.length);
    return indented(state, () => {
      const entries = values.slice(0, limit).map(showOne);
      if (values.length > limit) entries.push(more(values.length - limit));
      return entries;
    });
  }

  const mapEntries = (map, depth, state) => limited([...map], state, ([key, value]) => `${show(key, depth, state)} => ${show(value, depth, state)}`);
  const setEntries = (set, depth, state) => limited([...set], state, (value) => show(value, depth, state));

  // --- layout ----------------------------------------------------------------------------------------------
  // Puts the short entries of a long array into columns, as Node does.
  function intoColumns(entries, state, value) {
    let total = 0, widest = 0, count = entries.length;
    if (value.length > state.maxArrayLength) count--; // the last says how many more
    const widths = [];
    for (let i = 0; i < count; i++) {
      widths[i] = entries[i].length;
      total += widths[i] + 2;
      widest = Math.max(widest, widths[i]);
    }
    const actual = widest + 2;
    if (actual * 3 + state.indent >= state.breakLength || !(total / actual > 5 || widest <= 6)) return entries;
    const biased = Math.max(actual - 3 - Math.sqrt(actual - total / entries.length), 1);
    const columns = Math.min(
      Math.round(Math.sqrt(2.5 * biased * count) / biased),
      Math.floor((state.breakLength - state.indent) / actual),
      state.compact * 4,
      15,
    );
    if (columns <= 1) return entries;
    const lines = [], columnWidths = [];
    for (let i = 0; i < columns; i++) {
      let width = 0;
      for (let k = i; k < entries.length; k += columns) if (widths[k] > width) width = widths[k];
      columnWidths.push(width + 2);
    }
    const isNumeric = value !== undefined && Array.prototype.every.call(Array.prototype.slice.call(value, 0, entries.length), (one) => typeof one === "number" || typeof one === "bigint");
    for (let i = 0; i < count; i += columns) {
      const end = Math.min(i + columns, count);
      let line = "", k = i;
      for (; k < end - 1; k++) {
        const cell = `${entries[k]}, `;
        line += isNumeric ? cell.padStart(columnWidths[k - i]) : cell.padEnd(columnWidths[k - i]);
      }
      line += isNumeric ? entries[k].padStart(columnWidths[k - i] - 2) : entries[k];
      lines.push(line);
    }
    if (value.length > state.maxArrayLength) lines.push(entries[count]);
    return lines;
  }

  function layout(entries, base, braces, isList, depth, value, state) {
    const before = entries.length;
    if (state.compact !== false && typeof state.compact === "number") {
      if (isList && before > MIN_GROUP) entries = intoColumns(entries, state, value);
      // Up to three levels stand on one line, if they fit.
      if (state.depthSeen - depth < state.compact && before === entries.length) {
        const start = entries.length + state.indent + braces[0].length + base.length + 10;
        if (entries.reduce((sum, entry) => sum + entry.length, entries.length + start) <= state.breakLength && !entries.some((entry) => entry.includes("\n")) && !base.includes("\n")) {
          return `${base ? `${base} ` : ""}${braces[0]} ${entries.join(", ")} ${braces[1]}`;
        }
      }
    }
    const indentation = `\n${" ".repeat(state.indent)}`;
    if (state.compact === true) {
      const length = entries.reduce((sum, entry) => sum + entry.length, entries.length);
      if (length + entries.length <= state.breakLength && !base.includes("\n")) return `${braces[0]}${base ? ` ${base}` : ""} ${entries.join(", ")} ${braces[1]}`;
      const start = base === "" && braces[0].length === 1 ? " " : `${base ? ` ${base}` : ""}\n${indentation}  `;
      return `${braces[0]}${start}${entries.join(`,${indentation}`)} ${braces[1]}`;
    }
    return `${base ? `${base} ` : ""}${braces[0]}${indentation}  ${entries.join(`,${indentation}  `)}${indentation}${braces[1]}`;
  }

  // --- values ----------------------------------------------------------------------------------------------
  function show(value, depth, state, isTyped = false) {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return showPrimitive(value, state);
    const special = value[custom];
    if (typeof special === "function" && special !== exports.inspect) {
      const left = state.limit === null ? null : state.limit - depth;
      const result = special.call(value, left, { ...state.options, depth: left }, exports.inspect);
      if (result !== value) return typeof result === "object" && result !== null ? show(result, depth, state) : String(result).replaceAll("\n", `\n${" ".repeat(state.indent)}`);
    }
    if (state.open.includes(value)) {
      if (!state.circular.has(value)) state.circular.set(value, state.circular.size + 1);
      return `[Circular *${state.circular.get(value)}]`;
    }
    return showObject(value, depth, state, isTyped);
  }

  function showObject(value, depth, state) {
    const name = constructorName(value), tag = tagOf(value, name);
    let keys, base = "", braces = ["{", "}"], isList = false, entriesOf = () => [];
    const isTyped = value instanceof TypedArray;
    if (Array.isArray(value)) {
      keys = keysOf(value, state, true);
      const start = name !== "Array" || tag ? prefix(name, tag, "Array", `(${value.length})`) : "";
      braces = [`${start}[`, "]"];
      if (!value.length && !keys.length) return `${braces[0]}]`;
      isList = true;
      entriesOf = () => arrayEntries(value, depth + 1, state);
    } else if (isTyped) {
      const typed = value[Symbol.toStringTag];
      keys = keysOf(value, state, true);
      if (typeof Buffer === "function" && name === "Buffer") return showBuffer(value);
      braces = [`${prefix(name, tag, typed, `(${value.length})`)}[`, "]"];
      if (!value.length && !keys.length) return `${braces[0]}]`;
      isList = true;
      entriesOf = () => typedEntries(value, state);
    } else {
      keys = keysOf(value, state, false);
      if (value instanceof Map) {
        braces[0] = `${prefix(name, tag, "Map", `(${value.size})`)}{`;
        entriesOf = () => mapEntries(value, depth + 1, state);
        if (!value.size && !keys.length) return `${braces[0]}}`;
      } else if (value instanceof Set) {
        braces[0] = `${prefix(name, tag, "Set", `(${value.size})`)}{`;
        entriesOf = () => setEntries(value, depth + 1, state);
        if (!value.size && !keys.length) return `${braces[0]}}`;
      } else if (/^(Map|Set) (Iterator|Entries)$/.test(value[Symbol.toStringTag] ?? "")) {
        braces = [`[${value[Symbol.toStringTag]}] {`, "}"];
      } else if (typeof value === "function") {
        base = functionBase(value, name, tag);
        if (!keys.length) return base;
      } else if (Object.prototype.toString.call(value) === "[object Arguments]") {
        braces[0] = "[Arguments] {";
        if (!keys.length) return `${braces[0]}}`;
      } else if (value instanceof RegExp) {
        base = RegExp.prototype.toString.call(value);
        if (name !== "RegExp") base = `${prefix(name, tag, "RegExp")}${base}`;
        if (!keys.length) return base;
      } else if (value instanceof Date) {
        base = Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
        if (name !== "Date") base = `${prefix(name, tag, "Date")}${base}`;
        if (!keys.length) return base;
      } else if (value instanceof Error) {
        base = errorBase(value, keys, state);
        if (!keys.length) return base;
      } else if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) {
        const bytes = new Uint8Array(value), shown = Array.from(bytes.subarray(0, 50), (byte) => byte.toString(16).padStart(2, "0"));
        const rest = bytes.length > 50 ? ` ... ${bytes.length - 50} more byte${bytes.length > 51 ? "s" : ""}` : "";
        braces[0] = `${prefix(name, tag, "ArrayBuffer")}{`;
        entriesOf = () => [`[Uint8Contents]: <${shown.join(" ")}${rest}>`, `byteLength: ${bytes.length}`];
      } else if (value instanceof Promise) {
        braces[0] = `${prefix(name, tag, "Promise")}{`;
        entriesOf = () => ["<pending>"]; // a program cannot see the state of a promise
      } else if (value instanceof WeakSet || value instanceof WeakMap) {
        braces[0] = `${prefix(name, tag, "WeakSet")}{`;
        entriesOf = () => ["<items unknown>"];
      } else if (value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt || value instanceof Symbol) {
        const inner = value.valueOf(), kind = Object.prototype.toString.call(value).slice(8, -1);
        if (value instanceof String) keys = keys.filter((key) => !/^\d+$/.test(String(key)));
        base = `[${kind}${name === kind ? "" : ` (${name === null ? "null prototype" : name})`}: ${showPrimitive(inner, { ...state, indent: 0 })}]`;
        if (tag && tag !== name) base += ` [${tag}]`;
        if (!keys.length) return base;
      } else if (isGenerator(value)) braces[0] = `${prefix(name === null || name === "" ? "Object" : name, tag, "Object")}{`;
      else {
        if (name !== "Object" || tag) braces[0] = `${prefix(name, tag, "Object")}{`;
        if (!keys.length) return `${braces[0]}}`;
      }
    }
    if (state.limit !== null && depth > state.limit) return `[${tooDeep(value, name, tag)}]`;
    state.open.push(value);
    state.depthSeen = depth;
    const entries = entriesOf();
    for (const key of keys) entries.push(showProperty(value, key, depth + 1, state, false));
    state.open.pop();
    if (state.circular.has(value)) {
      const reference = `<ref *${state.circular.get(value)}>`;
      if (state.compact !== true) base = base ? `${reference} ${base}` : reference;
      else braces[0] = `${reference} ${braces[0]}`;
    }
    if (!entries.length && !base) return `${braces[0]}${braces[1]}`;
    return layout(entries, base, braces, isList, depth, value, state);
  }

  const isGenerator = (value) => /Generator$/.test(value[Symbol.toStringTag] ?? "");

  function tooDeep(value, name, tag) {
    if (Array.isArray(value)) return "Array";
    return prefix(name, tag, "Object").slice(0, -1);
  }

  function showBuffer(bytes) {
    let text = Array.from(bytes.subarray(0, 50), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
    if (bytes.length > 50) text += ` ... ${bytes.length - 50} more byte${bytes.length > 51 ? "s" : ""}`;
    return `<Buffer ${text}>`;
  }

  function inspect(value, options, depth) {
    if (typeof options === "boolean") options = { showHidden: options, ...(depth === undefined ? {} : { depth }) };
    const all = { ...DEFAULTS, ...inspect.defaultOptions, ...options };
    const infinite = (number) => (number === null || number === undefined ? Infinity : number);
    const state = {
      ...all,
      options: all,
      maxArrayLength: infinite(all.maxArrayLength),
      maxStringLength: infinite(all.maxStringLength),
      limit: all.depth === null || all.depth === Infinity ? null : all.depth,
      indent: 0,
      depthSeen: 0,
      open: [],
      circular: new Map(),
    };
    return show(value, 0, state);
  }
  inspect.custom = custom;
  inspect.defaultOptions = { ...DEFAULTS };

  // --- format ----------------------------------------------------------------------------------------------
  function hasOwnText(value) {
    if (typeof value[Symbol.toPrimitive] === "function" && !(value instanceof Date)) return true;
    if (typeof value.toString !== "function") return false;
    if (Object.hasOwn(value, "toString")) return true;
    let owner = value;
    do owner = Object.getPrototypeOf(owner);
    while (owner && !Object.hasOwn(owner, "toString"));
    const maker = owner && Object.getOwnPropertyDescriptor(owner, "constructor")?.value;
    return typeof maker === "function" && !/\[native code\]/.test(Function.prototype.toString.call(maker));
  }

  const CONVERSIONS = {
    s: (value) => {
      if (typeof value === "number") return showNumber(value);
      if (typeof value === "bigint") return `${value}n`;
      if (typeof value !== "object" || value === null || (hasOwnText(value))) return String(value);
      return inspect(value, { depth: 0, colors: false, compact: 3 });
    },
    d: (value) => (typeof value === "bigint" ? `${value}n` : typeof value === "symbol" || typeof value === "object" && value !== null ? showNumber(typeof value === "symbol" ? NaN : Number(value)) : showNumber(Number(value))),
    i: (value) => (typeof value === "bigint" ? `${value}n` : typeof value === "symbol" ? "NaN" : showNumber(parseInt(value))),
    f: (value) => (typeof value === "symbol" ? "NaN" : showNumber(parseFloat(value))),
    j: (value) => {
      try {
        return JSON.stringify(value);
      } catch (error) {
        if (/circular/i.test(error.message)) return "[Circular]";
        throw error;
      }
    },
    o: (value) => inspect(value, { showHidden: true, showProxy: true, depth: 4 }),
    O: (value) => inspect(value),
    c: () => "",
  };

  function formatWithOptions(options, ...args) {
    let text = "", next = 0;
    if (typeof args[0] === "string") {
      if (args.length === 1) return args[0];
      next = 1;
      text = args[0].replace(/%(.)/g, (whole, kind) => {
        if (kind === "%") return "%";
        return kind in CONVERSIONS && next < args.length ? CONVERSIONS[kind](args[next++]) : whole;
      });
    }
    for (; next < args.length; next++) {
      const value = args[next];
      text += `${next ? " " : ""}${typeof value === "string" ? value : inspect(value, { ...options, compact: 3, colors: false, depth: options.depth ?? 2 })}`;
    }
    return text;
  }

  // What messages of type errors say of a value.
  function received(value) {
    if (value === null || value === undefined) return String(value);
    if (typeof value === "function") return `function ${value.name}`;
    if (typeof value === "object") return value.constructor?.name ? `an instance of ${value.constructor.name}` : inspect(value, { depth: -1 });
    let text = inspect(value);
    if (text.length > 28) text = `${text.slice(0, 25)}...`;
    return `type ${typeof value} (${text})`;
  }

  Object.assign(exports, { inspect, format: (...args) => formatWithOptions({}, ...args), formatWithOptions, received });
})
