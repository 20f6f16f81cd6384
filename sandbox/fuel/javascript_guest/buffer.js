"use strict";
(function (module, exports, { codedError }) {
  const MAX_CALL = 4096; // arguments of one call of String.fromCharCode
  const HEX = "0123456789abcdef";

  // --- text and bytes --------------------------------------------------------------------------------------
  function encodeUtf8(text) {
    const isAscii = !/[^\0-\x7f]/.test(text);
    if (isAscii) {
      const bytes = new Uint8Array(text.length);
      for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
      return bytes;
    }
    const bytes = [];
    for (const char of text) {
      let code = char.codePointAt(0);
      if (code >= 0xd800 && code < 0xe000) code = 0xfffd;
      if (code < 0x80) bytes.push(code);
      else if (code < 0x800) bytes.push(0xc0 | (code >> 6), 0x80 | (code & 63));
      else if (code < 0x10000) bytes.push(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
      else bytes.push(0xf0 | (code >> 18), 0x80 | ((code >> 12) & 63), 0x80 | ((code >> 6) & 63), 0x80 | (code & 63));
    }
    return Uint8Array.from(bytes);
  }

  function fromCodes(codes) {
    let text = "";
    for (let i = 0; i < codes.length; i += MAX_CALL) text += String.fromCharCode.apply(null, codes.slice(i, i + MAX_CALL));
    return text;
  }

  // As the Encoding Standard decodes: a wrong sequence is U+FFFD as far as it could have been right.
  function decodeUtf8(bytes) {
    if (bytes.every((byte) => byte < 0x80)) return fromCodes(bytes);
    const units = [];
    for (let i = 0; i < bytes.length; ) {
      const first = bytes[i++];
      if (first < 0x80) {
        units.push(first);
        continue;
      }
      const more = first >= 0xc2 && first <= 0xdf ? 1 : first >= 0xe0 && first <= 0xef ? 2 : first >= 0xf0 && first <= 0xf4 ? 3 : 0;
      let code = first & (0x3f >> more), low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80, high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf, left = more;
      for (; left && bytes[i] >= low && bytes[i] <= high; left--, low = 0x80, high = 0xbf) code = (code << 6) | (bytes[i++] & 63);
      if (!more || left) units.push(0xfffd);
      else if (code > 0xffff) units.push(0xd7c0 + (code >> 10), 0xdc00 | (code & 0x3ff));
      else units.push(code);
    }
    return fromCodes(units);
  }

  const encodings = {
    utf8: [encodeUtf8, decodeUtf8],
    latin1: [(text) => Uint8Array.from(text, (char) => char.charCodeAt(0)), (bytes) => fromCodes(bytes)],
    ascii: [(text) => Uint8Array.from(text, (char) => char.charCodeAt(0)), (bytes) => fromCodes(bytes.map((byte) => byte & 0x7f))],
    hex: [
      (text) => {
        const bytes = [];
        for (let i = 0; i + 1 < text.length && /^[\da-f]{2}$/i.test(text.slice(i, i + 2)); i += 2) bytes.push(parseInt(text.slice(i, i + 2), 16));
        return Uint8Array.from(bytes);
      },
      (bytes) => Array.from(bytes, (byte) => HEX[byte >> 4] + HEX[byte & 15]).join(""),
    ],
    base64: [
      (text) => encodings.latin1[0](atob(text.replace(/-/g, "+").replace(/_/g, "/").replace(/=.*|[^A-Za-z\d+/]/gs, "").replace(/^((?:.{4})*).$/s, "$1"))),
      (bytes) => btoa(fromCodes(bytes)),
    ],
  };
  const ALIASES = { "utf-8": "utf8", binary: "latin1" };

  function encodingOf(name = "utf8") {
    const lower = String(name).toLowerCase();
    const found = encodings[ALIASES[lower] ?? lower];
    if (!found) throw codedError(TypeError, "ERR_UNKNOWN_ENCODING", `Unknown encoding: ${name}`);
    return found;
  }

  // --- Buffer ----------------------------------------------------------------------------------------------
  class Buffer extends Uint8Array {
    static from(value, encoding, length) {
      if (typeof value === "string") return over(encodingOf(encoding)[0](value));
      if (value instanceof ArrayBuffer || value instanceof SharedArrayBuffer) return new Buffer(value, encoding, length);
      if (value?.type === "Buffer" && Array.isArray(value.data)) value = value.data;
      if (typeof value !== "object" || value === null)
        throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", "The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object");
      const buffer = new Buffer(value.length ?? 0);
      for (let i = 0; i < buffer.length; i++) buffer[i] = value[i];
      return buffer;
    }
    static of(...values) {
      return Buffer.from(values);
    }
    static alloc(size, value = 0, encoding) {
      const buffer = new Buffer(size);
      return value === 0 ? buffer : buffer.fill(value, encoding);
    }
    static concat(list, size = list.reduce((sum, each) => sum + each.length, 0)) {
      const all = new Buffer(size);
      let at = 0;
      for (const each of list) {
        const part = each.length > size - at ? each.subarray(0, size - at) : each;
        all.set(part, at);
        at += part.length;
      }
      return all;
    }
    static isBuffer(value) {
      return value instanceof Buffer;
    }
    static byteLength(value, encoding) {
      return typeof value === "string" ? encodingOf(encoding)[0](value).length : value.byteLength;
    }
    static compare(a, b) {
      const size = Math.min(a.length, b.length);
      for (let i = 0; i < size; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
      return Math.sign(a.length - b.length);
    }
    toString(encoding, start = 0, end = this.length) {
      const bytes = new Uint8Array(this.buffer, this.byteOffset, this.length);
      return encodingOf(encoding)[1](start === 0 && end === this.length ? bytes : bytes.subarray(start, end));
    }
    toJSON() {
      return { type: "Buffer", data: Array.from(this) };
    }
    slice(start, end) {
      return this.subarray(start, end);
    }
    equals(other) {
      return Buffer.compare(this, other) === 0;
    }
    compare(other) {
      return Buffer.compare(this, other);
    }
    write(text, at = 0, length, encoding) {
      if (typeof at === "string") [at, encoding] = [0, at];
      if (typeof length === "string") [length, encoding] = [undefined, length];
      const bytes = encodingOf(encoding)[0](text).subarray(0, Math.min(length ?? Infinity, this.length - at));
      this.set(bytes, at);
      return bytes.length;
    }
    copy(target, at = 0, start = 0, end = this.length) {
      const part = this.subarray(start, Math.min(end, start + target.length - at));
      target.set(part, at);
      return part.length;
    }
    fill(value, start = 0, end = this.length, encoding) {
      if (typeof value === "number") return super.fill(value, start, end);
      if (typeof start === "string") [start, encoding] = [0, start];
      const bytes = typeof value === "string" ? encodingOf(encoding)[0](value) : value;
      for (let i = start; i < end; i++) this[i] = bytes.length ? bytes[(i - start) % bytes.length] : 0;
      return this;
    }
    indexOf(value, from = 0, encoding) {
      if (typeof value === "number") return super.indexOf(value & 255, from);
      const bytes = typeof value === "string" ? encodingOf(encoding)[0](value) : value;
      for (let i = from < 0 ? Math.max(0, this.length + from) : from; i + bytes.length <= this.length; i++)
        if (bytes.every((byte, k) => this[i + k] === byte)) return i;
      return -1;
    }
    includes(value, from, encoding) {
      return this.indexOf(value, from, encoding) >= 0;
    }
  }
  Buffer.allocUnsafe = Buffer.alloc;

  const over = (bytes) => new Buffer(bytes.buffer, bytes.byteOffset, bytes.length);

  // --- the web's interfaces --------------------------------------------------------------------------------
  class TextEncoder {
    get encoding() {
      return "utf-8";
    }
    encode(text = "") {
      return encodeUtf8(String(text));
    }
  }

  const bytesOf = (data) => (ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data ?? 0));

  class TextDecoder {
    #decode;
    constructor(label) {
      this.#decode = encodingOf(label)[1];
    }
    decode(data) {
      return this.#decode(bytesOf(data)).replace(/^\ufeff/, "");
    }
  }

  Object.assign(exports, { Buffer, TextEncoder, TextDecoder });
})
