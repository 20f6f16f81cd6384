"use strict";
(function (module, exports, { builtin, codedError, process }) {
  const { inspect, format, formatWithOptions, received } = builtin("inspect");
  const { isDeepStrictEqual } = builtin("compare");
  const TypedArray = Object.getPrototypeOf(Uint8Array);
  const customPromisify = Symbol.for("nodejs.util.promisify.custom");

  function check(value, name) {
    if (typeof value !== "function")
      throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The "${name}" argument must be of type function. Received ${received(value)}`);
  }

  function promisify(original) {
    check(original, "original");
    if (original[customPromisify]) return original[customPromisify];
    if (original === setTimeout) return (milliseconds, value) => new Promise((resolve) => setTimeout(resolve, milliseconds, value));
    if (original === setImmediate) return (value) => new Promise((resolve) => setImmediate(resolve, value));
    return function (...args) {
      return new Promise((resolve, reject) => original.call(this, ...args, (error, value) => (error ? reject(error) : resolve(value))));
    };
  }
  promisify.custom = customPromisify;

  function callbackify(original) {
    check(original, "original");
    return function (...args) {
      const done = args.pop();
      original.apply(this, args).then(
        (value) => process.nextTick(done, null, value),
        (error) => process.nextTick(done, error),
      );
    };
  }

  function inherits(child, parent) {
    Object.defineProperty(child, "super_", { value: parent, writable: true, configurable: true });
    Object.setPrototypeOf(child.prototype, parent.prototype);
  }

  function deprecate(original, message) {
    let isTold = false;
    return function (...args) {
      if (!isTold) process.stderr.write(`(node:1) DeprecationWarning: ${message}\n`);
      isTold = true;
      return new.target ? Reflect.construct(original, args, new.target) : original.apply(this, args);
    };
  }

  const tagged = (...tags) => (value) => typeof value === "object" && value !== null && tags.includes(Object.prototype.toString.call(value).slice(8, -1));
  const types = {
    isDate: (value) => value instanceof Date,
    isRegExp: (value) => value instanceof RegExp,
    isMap: (value) => value instanceof Map,
    isSet: (value) => value instanceof Set,
    isWeakMap: (value) => value instanceof WeakMap,
    isWeakSet: (value) => value instanceof WeakSet,
    isPromise: (value) => value instanceof Promise,
    isNativeError: (value) => value instanceof Error,
    isTypedArray: (value) => value instanceof TypedArray,
    isUint8Array: (value) => value instanceof Uint8Array,
    isArrayBuffer: (value) => value instanceof ArrayBuffer,
    isAnyArrayBuffer: (value) => value instanceof ArrayBuffer || value instanceof SharedArrayBuffer,
    isArrayBufferView: (value) => ArrayBuffer.isView(value),
    isDataView: (value) => value instanceof DataView,
    isAsyncFunction: (value) => typeof value === "function" && /^Async/.test(value[Symbol.toStringTag]),
    isGeneratorFunction: (value) => typeof value === "function" && /GeneratorFunction$/.test(value[Symbol.toStringTag]),
    isGeneratorObject: tagged("Generator"),
    isBoxedPrimitive: (value) => [Number, String, Boolean, BigInt, Symbol].some((box) => value instanceof box),
    isProxy: () => false,
  };

  Object.assign(exports, {
    inspect,
    format,
    formatWithOptions,
    isDeepStrictEqual,
    promisify,
    callbackify,
    inherits,
    deprecate,
    types,
    isArray: Array.isArray,
    debuglog: () => Object.assign(() => {}, { enabled: false }),
    stripVTControlCharacters: (text) => text.replace(/\x1b\[[\d;]*[A-Za-z]/g, ""),
    toUSVString: (text) => String(text).toWellFormed(),
    TextEncoder,
    TextDecoder,
  });
})
