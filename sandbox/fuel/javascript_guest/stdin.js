// Standard input: one line for each read, as Node gives them when lines come one by one.
"use strict";
(function (module, exports, { builtin, input, process }) {
  const { EventEmitter } = builtin("events");

  // An emitter with what readable streams have. It flows while somebody listens; `push` gives it text, bytes or
  // null for the end. Chunks that nobody has taken are kept.
  exports.makeReadable = function () {
    const stream = new EventEmitter();
    let chunks = [], encoding = null, isPaused = false, wantsRead = false;
    Object.defineProperty(stream, "isFlowing", { get: () => wantsRead && !isPaused });
    Object.assign(stream, { readable: true, hasEnded: false, readableEnded: false, destroyed: false });

    const shown = (chunk) => {
      if (encoding) return typeof chunk === "string" ? chunk : Buffer.from(chunk).toString(encoding);
      return typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    };
    const start = () => {
      wantsRead = true;
      if (!isPaused && chunks.length) process.nextTick(flow);
    };
    const flow = () => {
      if (!stream.listenerCount("data") && !stream.taker) {
        if (stream.listenerCount("readable") && chunks.length) stream.emit("readable");
        else if (!stream.listenerCount("readable")) chunks = chunks.filter((chunk) => chunk === null);
      } else
        while (chunks.length && chunks[0] !== null && !isPaused) {
          const chunk = chunks.shift();
          if (stream.taker) stream.taker(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString());
          if (stream.listenerCount("data")) stream.emit("data", shown(chunk));
        }
      if (chunks[0] === null && chunks.length === 1 && !isPaused) {
        chunks = [];
        stream.readableEnded = true;
        stream.readable = false;
        stream.emit("end");
        process.nextTick(() => stream.emit("close"));
      }
    };
    const listen = (method) =>
      function (name, listener) {
        EventEmitter.prototype[method].call(stream, name, listener);
        if ((name === "data" && !isPaused) || name === "readable") start();
        return stream;
      };

    return Object.assign(stream, {
      push(chunk) {
        if (chunk === null) stream.hasEnded = true;
        else if (stream.taker && !chunks.length && !isPaused && typeof chunk === "string" && !stream.listenerCount("data")) return stream.taker(chunk);
        chunks.push(chunk);
        if (!isPaused) flow();
      },
      on: listen("on"),
      addListener: listen("on"),
      once: listen("once"),
      setEncoding(name = "utf8") {
        encoding = name;
        return stream;
      },
      pause() {
        isPaused = true;
        return stream;
      },
      resume() {
        isPaused = false;
        start();
        return stream;
      },
      isPaused: () => isPaused,
      // All that is there, or so many characters or bytes of it.
      read(size) {
        const found = chunks.filter((chunk) => chunk !== null);
        if (!found.length) {
          if (chunks[0] === null) process.nextTick(flow);
          return null;
        }
        const all = encoding ? found.map(shown).join("") : Buffer.concat(found.map(shown));
        const rest = size === undefined ? "" : all.slice(size);
        const ended = chunks.at(-1) === null;
        chunks = [...(rest.length ? [rest] : []), ...(ended ? [null] : [])];
        if (ended && !rest.length) process.nextTick(flow);
        return size === undefined ? all : all.slice(0, size);
      },
      destroy() {
        stream.destroyed = stream.hasEnded = true;
        process.nextTick(() => stream.emit("close"));
        return stream;
      },
      ref: () => stream,
      unref: () => {
        wantsRead = false;
        return stream;
      },
      async *[Symbol.asyncIterator]() {
        let wake = null, isOver = false;
        const waiting = [];
        stream.on("data", (chunk) => {
          waiting.push(chunk);
          wake?.();
        });
        stream.on("end", () => {
          isOver = true;
          wake?.();
        });
        for (;;) {
          while (waiting.length) yield waiting.shift();
          if (isOver) return;
          await new Promise((resolve) => (wake = resolve));
        }
      },
    });
  };

  const stdin = (exports.stdin = exports.makeReadable());
  Object.assign(stdin, { fd: 0, isTTY: undefined, isRaw: false });
  stdin.setRawMode = () => stdin;
  input.isWanted = () => stdin.isFlowing && !stdin.hasEnded;
  input.deliver = (line) => stdin.push(line === null ? null : `${line}\n`);
})
