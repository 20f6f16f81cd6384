"use strict";
(function (module, exports, { builtin }) {
  const { inspect } = builtin("inspect");
  const { isDeepEqual, isDeepStrictEqual } = builtin("compare");

  class AssertionError extends Error {
    constructor({ message, actual, expected, operator, isGenerated = false }) {
      super(message);
      Object.assign(this, { generatedMessage: isGenerated, code: "ERR_ASSERTION", actual, expected, operator });
    }
    get name() {
      return "AssertionError";
    }
    toString() {
      return `${this.name} [${this.code}]: ${this.message}`;
    }
  }

  function fail(facts, message, standard) {
    if (message instanceof Error) throw message;
    throw new AssertionError({ ...facts, message: message ?? standard, isGenerated: message === undefined });
  }

  const show = (value) => inspect(value, { sorted: true, depth: 1000 });

  function comparison(operator, test, standard) {
    return (actual, expected, message) => {
      if (!test(actual, expected)) fail({ actual, expected, operator }, message, standard(show(actual), show(expected)));
    };
  }

  const ok = (value, message) => {
    if (!value) fail({ actual: value, expected: true, operator: "==" }, message, "The expression evaluated to a falsy value");
  };

  // Whether an error is as expected: a class, a test, a pattern, or properties.
  function matches(error, expected) {
    if (expected === undefined || typeof expected === "string") return true;
    if (expected instanceof RegExp) return expected.test(String(error));
    if (typeof expected === "function") {
      if (expected.prototype !== undefined && error instanceof expected) return true;
      return Object.prototype.isPrototypeOf.call(Error, expected) ? false : expected.call({}, error) === true;
    }
    return Object.keys(expected).every((key) => (expected[key] instanceof RegExp && typeof error[key] === "string" ? expected[key].test(error[key]) : isDeepStrictEqual(error[key], expected[key])));
  }

  function judge(hasFailed, error, expected, message, operator) {
    if (typeof expected === "string") message = expected;
    if (!hasFailed) fail({ operator }, message && `Missing expected exception: ${message}`, `Missing expected ${operator === "rejects" ? "rejection" : "exception"}.`);
    if (!matches(error, expected)) {
      if (typeof expected === "function" && Object.prototype.isPrototypeOf.call(Error, expected)) throw error;
      fail({ actual: error, expected, operator }, message, `The error did not match: ${show(error)}`);
    }
  }

  const lines = (title) => (actual, expected) => `${title}\n\n${actual} !== ${expected}\n`;
  const assert = Object.assign((value, message) => ok(value, message), {
    AssertionError,
    ok,
    fail: (message = "Failed") => fail({ operator: "fail" }, message),
    equal: comparison("==", (a, b) => a == b || (a !== a && b !== b), (a, b) => `${a} == ${b}`),
    notEqual: comparison("!=", (a, b) => a != b && !(a !== a && b !== b), (a, b) => `${a} != ${b}`),
    strictEqual: comparison("strictEqual", Object.is, lines("Expected values to be strictly equal:")),
    notStrictEqual: comparison("notStrictEqual", (a, b) => !Object.is(a, b), (a) => `Expected "actual" to be strictly unequal to: ${a}`),
    deepEqual: comparison("deepEqual", isDeepEqual, (a, b) => `Expected values to be loosely deep-equal:\n\n${a}\n\nshould loosely deep-equal\n\n${b}`),
    notDeepEqual: comparison("notDeepEqual", (a, b) => !isDeepEqual(a, b), (a) => `Expected "actual" not to be loosely deep-equal to: ${a}`),
    deepStrictEqual: comparison("deepStrictEqual", isDeepStrictEqual, (a, b) => `Expected values to be strictly deep-equal:\n${a}\n\nshould equal\n\n${b}`),
    notDeepStrictEqual: comparison("notDeepStrictEqual", (a, b) => !isDeepStrictEqual(a, b), (a) => `Expected "actual" not to be strictly deep-equal to: ${a}`),
    match(text, pattern, message) {
      if (typeof text !== "string" || !pattern.test(text))
        fail({ actual: text, expected: pattern, operator: "match" }, message, `The input did not match the regular expression ${pattern}. Input:\n\n${show(text)}\n`);
    },
    doesNotMatch(text, pattern, message) {
      if (pattern.test(text))
        fail({ actual: text, expected: pattern, operator: "doesNotMatch" }, message, `The input was expected to not match the regular expression ${pattern}. Input:\n\n${show(text)}\n`);
    },
    throws(run, expected, message) {
      let hasFailed = false, error;
      try {
        run();
      } catch (thrown) {
        [hasFailed, error] = [true, thrown];
      }
      judge(hasFailed, error, expected, message, "throws");
    },
    doesNotThrow(run, message) {
      try {
        run();
      } catch (error) {
        fail({ actual: error, operator: "doesNotThrow" }, typeof message === "string" ? message : undefined, `Got unwanted exception.\nActual message: "${error?.message}"`);
      }
    },
    async rejects(promise, expected, message) {
      let hasFailed = false, error;
      try {
        await (typeof promise === "function" ? promise() : promise);
      } catch (thrown) {
        [hasFailed, error] = [true, thrown];
      }
      judge(hasFailed, error, expected, message, "rejects");
    },
    async doesNotReject(promise) {
      await (typeof promise === "function" ? promise() : promise);
    },
    ifError(value) {
      if (value !== null && value !== undefined) fail({ actual: value, expected: null, operator: "ifError" }, undefined, `ifError got unwanted exception: ${value.message ?? show(value)}`);
    },
  });
  assert.strict = Object.assign((value, message) => ok(value, message), assert, {
    equal: assert.strictEqual,
    notEqual: assert.notStrictEqual,
    deepEqual: assert.deepStrictEqual,
    notDeepEqual: assert.notDeepStrictEqual,
  });
  assert.strict.strict = assert.strict;
  module.exports = assert;
})
