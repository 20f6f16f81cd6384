"use strict";
(function (module, exports, { codedError, builtin }) {
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
  function decodeUtf8(bytes, isFatal = false) {
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
      if (!more || left) {
        if (isFatal) throw codedError(TypeError, "ERR_ENCODING_INVALID_ENCODED_DATA", "The encoded data was not valid for encoding utf-8");
        units.push(0xfffd);
      } else if (code > 0xffff) units.push(0xd7c0 + (code >> 10), 0xdc00 | (code & 0x3ff));
      else units.push(code);
    }
    return fromCodes(units);
  }

  const encodings = {
    utf8: [encodeUtf8, (bytes) => decodeUtf8(bytes)],
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
    utf16le: [
      (text) => new Uint8Array(Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i)).buffer),
      (bytes) => fromCodes(new Uint16Array(bytes.slice(0, bytes.length & ~1).buffer)),
    ],
  };
  encodings.base64url = [encodings.base64[0], (bytes) => btoa(fromCodes(bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "")];
  const ALIASES = { "utf-8": "utf8", binary: "latin1", ucs2: "utf16le", "ucs-2": "utf16le", "utf-16le": "utf16le" };

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
        throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", `The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object. Received ${builtin("inspect").received(value)}`);
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
    static isEncoding(name) {
      return typeof name === "string" && (ALIASES[name.toLowerCase()] ?? name.toLowerCase()) in encodings;
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
  Buffer.allocUnsafe = Buffer.allocUnsafeSlow = Buffer.alloc;
  Buffer.poolSize = 8192;

  const over = (bytes) => new Buffer(bytes.buffer, bytes.byteOffset, bytes.length);

  for (const [kind, size] of [["Uint8", 1], ["Int8", 1], ["Uint16", 2], ["Int16", 2], ["Uint32", 4], ["Int32", 4], ["Float32", 4], ["Float64", 8], ["BigInt64", 8], ["BigUint64", 8]])
    for (const order of size === 1 ? [""] : ["LE", "BE"]) {
      const name = { Float32: "Float", Float64: "Double", BigUint64: "BigUInt64" }[kind] ?? kind.replace("Uint", "UInt");
      const view = (buffer) => new DataView(buffer.buffer, buffer.byteOffset, buffer.length);
      const check = (buffer, at) => {
        if (!(at >= 0 && at + size <= buffer.length))
          throw codedError(RangeError, "ERR_OUT_OF_RANGE", `The value of "offset" is out of range. It must be >= 0 and <= ${buffer.length - size}. Received ${at}`);
      };
      const methods = {
        [`read${name}${order}`](at = 0) {
          check(this, at);
          return view(this)[`get${kind}`](at, order === "LE");
        },
        [`write${name}${order}`](value, at = 0) {
          check(this, at);
          view(this)[`set${kind}`](at, value, order === "LE");
          return at + size;
        },
      };
      for (const method in methods) {
        const value = methods[method];
        Object.defineProperty(Buffer.prototype, method, { value, writable: true, configurable: true });
        if (name.includes("UInt")) Object.defineProperty(Buffer.prototype, method.replace("UInt", "Uint"), { value, writable: true, configurable: true });
      }
    }

  // --- the web's interfaces --------------------------------------------------------------------------------
  class TextEncoder {
    get encoding() {
      return "utf-8";
    }
    encode(text = "") {
      return encodeUtf8(String(text));
    }
    encodeInto(text, target) {
      let read = 0, written = 0;
      for (const char of text) {
        const bytes = encodeUtf8(char);
        if (written + bytes.length > target.length) break;
        target.set(bytes, written);
        written += bytes.length;
        read += char.length;
      }
      return { read, written };
    }
  }

  const bytesOf = (data) => (ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data ?? 0));

  class TextDecoder {
    #decode;
    constructor(label = "utf-8", { fatal = false, ignoreBOM = false } = {}) {
      const [, decode] = encodingOf(label);
      this.encoding = decode === encodings.utf8[1] ? "utf-8" : String(label).toLowerCase();
      Object.assign(this, { fatal, ignoreBOM });
      this.#decode = decode === encodings.utf8[1] ? (bytes) => decodeUtf8(bytes, fatal) : decode;
    }
    decode(data) {
      const text = this.#decode(bytesOf(data));
      return this.ignoreBOM ? text : text.replace(/^\ufeff/, "");
    }
  }

  class StringDecoder {
    #kept = [];
    constructor(encoding = "utf8") {
      this.encoding = encoding;
    }
    write(chunk) {
      const bytes = [...this.#kept, ...chunk];
      let end = bytes.length;
      if (this.encoding === "utf8" || this.encoding === "utf-8") {
        let lead = end - 1;
        while (lead >= 0 && lead > end - 4 && (bytes[lead] & 0xc0) === 0x80) lead--;
        const needed = bytes[lead] >= 0xf0 ? 4 : bytes[lead] >= 0xe0 ? 3 : bytes[lead] >= 0xc0 ? 2 : 1;
        if (lead >= 0 && end - lead < needed) end = lead;
      }
      this.#kept = bytes.slice(end);
      return Buffer.from(bytes.slice(0, end)).toString(this.encoding);
    }
    end(chunk = []) {
      const text = this.write(chunk) + Buffer.from(this.#kept).toString(this.encoding);
      this.#kept = [];
      return text;
    }
  }

  Object.assign(exports, { Buffer, TextEncoder, TextDecoder, StringDecoder, encodingOf, constants: { MAX_LENGTH: 2 ** 32, MAX_STRING_LENGTH: 2 ** 29 } });
})
