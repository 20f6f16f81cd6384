// structuredClone, of the values that have no methods of their own
"use strict";
(function (module, exports) {
  const TypedArray = Object.getPrototypeOf(Uint8Array);

  function refuse(value) {
    throw new DOMException(`${typeof value === "function" ? Function.prototype.toString.call(value) : String(value)} could not be cloned.`, "DataCloneError");
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
    if (value instanceof Error) return keep(Object.assign(new Error(value.message), { name: value.name, stack: value.stack }));
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) refuse(value);
    const copy = keep(Array.isArray(value) ? new Array(value.length) : {});
    for (const key of Object.keys(value)) copy[key] = clone(value[key], seen);
    return copy;
  }

  exports.structuredClone = (value) => clone(value, new Map());
})
