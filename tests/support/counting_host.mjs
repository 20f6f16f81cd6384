// Runs counted modules in node: the other half of tests/support/counting.py, which reads what this writes.
import { readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { isTooDeep, unitsLeft, withUnits } from "../../sandbox/fuel/host.mjs";

const TRAPS = [
  [/unreachable/, "UNREACHABLE"],
  [/divide by zero|remainder by zero/, "INTEGER_DIVISION_BY_ZERO"],
  [/divide result unrepresentable/, "INTEGER_OVERFLOW"],
  [/float unrepresentable in integer range/, "BAD_CONVERSION_TO_INTEGER|INTEGER_OVERFLOW"],
  [/memory access out of bounds|data segment/, "MEMORY_OUT_OF_BOUNDS"],
  [/table index is out of bounds|table access out of bounds|element segment|table or.*bounds/, "TABLE_OUT_OF_BOUNDS"],
  [/null function or function signature mismatch/, "BAD_SIGNATURE|INDIRECT_CALL_TO_NULL"],
];

// The bits of a number as a double.
function text(value) {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(text);
  if (Number.isNaN(value)) return "NaN";
  const bits = Buffer.alloc(8);
  bits.writeDoubleBE(Number(value));
  return bits.toString("hex");
}

function play({ module, calls, given }) {
  const seen = [];
  const host = {
    call(number, left) {
      seen.push(given - unitsLeft(left));
      return [number < 2 ** 31 - 1 ? number + 1 : 0, left];
    },
  };
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(module, "hex")), { host });
  exports.kn_left.value = withUnits(exports.kn_left.value, given);
  const results = [];
  let ending = "returned";
  try {
    for (const [name, ...words] of calls) {
      results.push(text(exports[name](...words.map(Number))));
    }
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    ending = TRAPS.find(([sign]) => sign.test(error.message))?.[1] ?? error.message;
    if (unitsLeft(exports.kn_left.value) < 0) ending = "OUT_OF_FUEL";
    else if (isTooDeep(exports.kn_left.value)) ending = "TOO_DEEP";
  }
  const memory = createHash("sha256").update(new Uint8Array(exports.memory?.buffer ?? 0)).digest("hex");
  return { results, ending, units: given - unitsLeft(exports.kn_left.value), seen, memory };
}

process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(play)));
