// Whether two values are deeply equal, as assert and util tell it.
"use strict";
(function (module, exports) {
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const keysOf = (value) => [...Object.keys(value), ...Object.getOwnPropertySymbols(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key))];

  function isEqual(a, b, isStrict, seen) {
    if (isStrict ? Object.is(a, b) : a == b || (a !== a && b !== b)) return true;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
    if (isStrict && Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
    if (Object.prototype.toString.call(a) !== Object.prototype.toString.call(b) || Array.isArray(a) !== Array.isArray(b)) return false;
    if (seen.get(a) === b) return true;
    seen.set(a, b);
    if (a instanceof Date && a.getTime() !== b.getTime()) return false;
    if (a instanceof RegExp && String(a) !== String(b)) return false;
    if (a instanceof Error && (a.message !== b.message || a.name !== b.name)) return false;
    if (a instanceof Number || a instanceof String || a instanceof Boolean || a instanceof BigInt || a instanceof Symbol)
      if (!Object.is(a.valueOf(), b.valueOf())) return false;
    if (a instanceof ArrayBuffer) return isEqual(new Uint8Array(a), new Uint8Array(b), isStrict, seen);
    if ((Array.isArray(a) || a instanceof TypedArray) && a.length !== b.length) return false;
    if (a instanceof Set) {
      if (a.size !== b.size) return false;
      for (const one of a) if (!b.has(one) && ![...b].some((other) => isEqual(one, other, isStrict, seen))) return false;
    }
    if (a instanceof Map) {
      if (a.size !== b.size) return false;
      for (const [key, one] of a)
        if (!(b.has(key) && isEqual(one, b.get(key), isStrict, seen)) && ![...b].some(([k, other]) => isEqual(key, k, isStrict, seen) && isEqual(one, other, isStrict, seen)))
          return false;
    }
    const keys = keysOf(a);
    return keys.length === keysOf(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key], isStrict, seen));
  }

  exports.isDeepEqual = (a, b) => isEqual(a, b, false, new Map());
  exports.isDeepStrictEqual = (a, b) => isEqual(a, b, true, new Map());
})
