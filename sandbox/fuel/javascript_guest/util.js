"use strict";
(function (module, exports, { builtin }) {
  const { inspect, format } = builtin("inspect");

  function promisify(original) {
    if (original === setTimeout) return (milliseconds, value) => new Promise((resolve) => setTimeout(resolve, milliseconds, value));
    if (original === setImmediate) return (value) => new Promise((resolve) => setImmediate(resolve, value));
    return function (...args) {
      return new Promise((resolve, reject) => original.call(this, ...args, (error, value) => (error ? reject(error) : resolve(value))));
    };
  }

  function inherits(child, parent) {
    Object.defineProperty(child, "super_", { value: parent, writable: true, configurable: true });
    Object.setPrototypeOf(child.prototype, parent.prototype);
  }

  Object.assign(exports, { inspect, format, promisify, inherits, TextEncoder, TextDecoder });
})
