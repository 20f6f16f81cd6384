// structuredClone
"use strict";
(function (module, exports) {
  const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const BOXES = [Number, String, Boolean, BigInt];
  const TypedArray = Object.getPrototypeOf(Uint8Array);

  function refuse(value) {
    const shown = typeof value === "function" ? Function.prototype.toString.call(value) : typeof value === "symbol" ? String(value) : `#<${value.constructor?.name ?? "Object"}>`;
    throw new DOMException(`${shown} could not be cloned.`, "DataCloneError");
  }

  function clone(value, seen) {
    if (typeof value === "function" || typeof value === "symbol") refuse(value);
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const keep = (copy) => (seen.set(value, copy), copy);
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (value instanceof TypedArray) return keep(new globalThis[value[Symbol.toStringTag]](clone(value.buffer, seen), value.byteOffset, value.length));
    if (value instanceof DataView) return keep(new DataView(clone(value.buffer, seen), value.byteOffset, value.byteLength));
    if (BOXES.some((box) => value instanceof box)) return keep(Object(value.valueOf()));
    if (value instanceof Map) {
      const copy = keep(new Map());
      for (const [key, one] of [...value]) copy.set(clone(key, seen), clone(one, seen));
      return copy;
    }
    if (value instanceof Set) {
      const copy = keep(new Set());
      for (const one of [...value]) copy.add(clone(one, seen));
      return copy;
    }
    if (value instanceof Error) {
      const copy = keep(Object.create((ERRORS[value.name] ?? Error).prototype));
      for (const key of ["stack", "message", "cause"])
        if (Object.hasOwn(value, key)) Object.defineProperty(copy, key, { value: clone(value[key], seen), writable: true, configurable: true });
      return copy;
    }
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) refuse(value);
    const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
    for (const key of Object.keys(value)) copy[key] = clone(value[key], seen);
    return copy;
  }

  exports.structuredClone = function structuredClone(value) {
    if (!arguments.length) throw new TypeError("The \"value\" argument must be specified");
    return clone(value, new Map());
  };
})
