// bytes.js - bytes, texts and JSON of strangers, and what is said if they are not as they should be.
import { say } from "./words.js";

/** The archive differs from what follows from it. `code`: the step of the check that found it, "" before that is known.
 * `game`: the key of the game's replay, "" without one. */
export class Differs extends Error {
  code = "";
  game = "";
}

/** What this step of the check returns. What differs in it has its code, if no step within has given it one. */
export function step(code, check) {
  try {
    return check();
  } catch (error) {
    if (error instanceof Differs) error.code ||= code;
    throw error;
  }
}

/** There is nothing to check, or it cannot be checked here. */
export class Unreadable extends Error {}

/** Throws Differs with this sentence unless it holds. */
export function must(holds, sentence, values = {}) {
  if (!holds) throw new Differs(say(sentence, values));
}

/** What `compute` returns; `otherwise` if it throws, as for bytes of strangers that are none of what it reads. */
export function attempt(compute, otherwise = null) {
  try {
    return compute();
  } catch {
    return otherwise;
  }
}

const MAX_SHOWN_CHARS = 200; // of foreign text, in a sentence

/** Foreign text for a sentence: one line, shortened. */
export function shown(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? say("nothing");
  return text.replace(/[\p{C}\p{Z}]+/gu, " ").slice(0, MAX_SHOWN_CHARS);
}

export const utf8 = (text) => new TextEncoder().encode(text);
export const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The bytes that a text in hex, small letters, stands for. Throws Differs for another text. */
export function unhex(text, what) {
  must(/^([0-9a-f]{2})*$/.test(text), "{what} is not in hex", { what });
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

export const base64 = (bytes) => btoa(String.fromCharCode(...bytes));

/** Throws Differs for a text that is no base64. */
export function unbase64(text, what) {
  const raw = attempt(() => atob(text));
  must(raw !== null, "{what} is not in base64", { what });
  return Uint8Array.from(raw, (sign) => sign.charCodeAt(0));
}

export function join(...parts) {
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The sha256 in hex; of a text, of its UTF-8. */
export const sha256 = (data) => hex(noble.sha256(typeof data === "string" ? utf8(data) : data));

/** Throws Differs unless the bytes are UTF-8. */
export function text(bytes, path) {
  const decoded = attempt(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  must(decoded !== null, "{path} is not in UTF-8", { path });
  return decoded;
}

/** The items by their keys, each with its items in their order. */
export function grouped(items, keyOf) {
  const groups = new Map();
  for (const item of items) {
    const key = keyOf(item);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(item);
  }
  return groups;
}

/** Orders names, which are ASCII, as Python does. */
export const byName = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
export const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

// --- JSON ---
// An archive has one form of JSON: a blank for each level, and a newline at the end. Whatever JavaScript would
// not write in the same way has another form. Its numbers are not Python's, though: 5.0, and those beyond 2**53.
// So in files that have such numbers each is kept as it is written, behind the second half of a pair, with which no
// text begins.
const MARK = "\udc00";
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g; // a text without an end takes all that follows

const MAX_NESTED = 20; // an archive has less; and for each level there is a blank more in each line

/** Whether there are values within values, deeper than an archive has them. */
function isDeep(value) {
  let level = [value];
  for (let depth = 0; level.length && depth < MAX_NESTED; depth++) {
    level = level.flatMap((each) => (each !== null && typeof each === "object" ? Object.values(each) : []));
  }
  return level.length > 0;
}

function parsed(source, path) {
  const value = attempt(() => JSON.parse(source));
  must(value !== null && !isDeep(value), "{path} cannot be read: this is not JSON", { path });
  mustBeInForm(`${JSON.stringify(value, null, 1)}\n` === source, path);
  return value;
}

/** Throws Differs unless the file is as knobeln writes it. */
export function mustBeInForm(holds, path) {
  must(holds, "{path} is not in the form that knobeln writes", { path });
}

/** A text without halves of pairs, which UTF-8 has not. */
function sourceOf(bytes, path) {
  const source = text(bytes, path);
  mustBeInForm(!source.replaceAll("\\\\", "").includes("\\ud"), path);
  return source;
}

export const readJson = (bytes, path) => parsed(sourceOf(bytes, path), path);

/** The value, whose numbers are texts with a mark in front. */
export function readMarked(bytes, path) {
  const marked = (token) => (token[0] === '"' ? token : `"\\udc00${token}"`);
  return parsed(sourceOf(bytes, path).replace(STRING_OR_NUMBER, marked), path);
}

function changed(value, change) {
  if (Array.isArray(value)) return value.map((part) => changed(part, change));
  if (value === null || typeof value !== "object") return change(value);
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, changed(part, change)]));
}

/** The value with its numbers as JavaScript has them. */
export const unmarked = (value) =>
  changed(value, (leaf) => (typeof leaf === "string" && leaf[0] === MARK ? Number(leaf.slice(1)) : leaf));

/** The value as `readMarked` would read it; its numbers are whole. */
export const withMarks = (value) =>
  changed(value, (leaf) => (["number", "bigint"].includes(typeof leaf) ? `${MARK}${leaf}` : leaf));

/** As Python writes it sorted, without spaces and in ASCII. */
export function compactJson(marked) {
  if (Array.isArray(marked)) return `[${marked.map(compactJson).join(",")}]`;
  if (marked !== null && typeof marked === "object") {
    const keys = Object.keys(marked).sort(byName);
    return `{${keys.map((key) => `${compactJson(key)}:${compactJson(marked[key])}`).join(",")}}`;
  }
  if (typeof marked === "string" && marked[0] === MARK) return marked.slice(1);
  const escaped = (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(marked).replace(/[\u007f-\uffff]/g, escaped);
}

/** Throws Differs, with the first place at which the two values differ, and both values. `named`: the place in words. */
export function compare(what, claimed, computed, named = inWords, place = []) {
  if (same(claimed, computed)) return;
  const isBranch = (value) => value !== null && typeof value === "object";
  if (isBranch(claimed) && isBranch(computed)) {
    for (const key of new Set([...Object.keys(computed), ...Object.keys(claimed)])) {
      compare(what, claimed[key], computed[key], named, [...place, key]);
    }
  }
  const values = { what, place: named(place), claimed: shown(claimed), computed: shown(computed) };
  throw new Differs(place.length ? say("{what}: {place}: the archive says {claimed}, but {computed} follows", values)
    : say("{what}: the archive says {claimed}, but {computed} follows", values));
}

const inWords = (place) => place.map((key) => (/^\d+$/.test(key) ? Number(key) + 1 : key)).join(" ");
