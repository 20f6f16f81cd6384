// As much of Node's streams as programs on standard input and output use.
"use strict";
(function (module, exports, { builtin, process, codedError }) {
  const { EventEmitter } = builtin("events");
  const asError = (error) => (error ? [error] : []);

  // Give an emitter what readable streams have. It flows while somebody listens; `push` gives it text, bytes or
  // null for the end. Chunks that nobody has taken are kept.
  exports.makeReadable = function (stream) {
    let chunks = [], encoding = null, isPaused = false, wantsRead = false;
    Object.defineProperty(stream, "isFlowing", { get: () => wantsRead && !isPaused });
    Object.assign(stream, { readable: true, hasEnded: false, readableEnded: false, destroyed: false, readableFlowing: null });

    const shown = (chunk) => {
      if (encoding) return typeof chunk === "string" ? chunk : Buffer.from(chunk).toString(encoding);
      return typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    };
    const start = () => {
      wantsRead = true;
      stream.readableFlowing = true;
      if (!isPaused && chunks.length) process.nextTick(flow);
      stream._start?.();
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

    return Object.assign(stream, {
      push(chunk) {
        if (chunk === null) stream.hasEnded = true;
        else if (stream.taker && !chunks.length && !isPaused && typeof chunk === "string" && !stream.listenerCount("data")) {
          stream.taker(chunk);
          return true;
        }
        chunks.push(chunk);
        if (!isPaused) flow();
        return true;
      },
      on(name, listener) {
        EventEmitter.prototype.on.call(stream, name, listener);
        if (name === "data" && !isPaused) start();
        if (name === "readable") start();
        return stream;
      },
      once(name, listener) {
        EventEmitter.prototype.once.call(stream, name, listener);
        if ((name === "data" && !isPaused) || name === "readable") start();
        return stream;
      },
      setEncoding(name = "utf8") {
        encoding = name;
        return stream;
      },
      pause() {
        isPaused = true;
        stream.readableFlowing = false;
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
        const ended = chunks.at(-1) === null;
        const part = size === undefined ? all : all.slice(0, size);
        const rest = size === undefined ? "" : all.slice(size);
        chunks = [...(rest.length ? [rest] : []), ...(ended ? [null] : [])];
        if (ended && !rest.length) process.nextTick(flow);
        return part;
      },
      unshift(chunk) {
        chunks.unshift(chunk);
      },
      pipe(target) {
        stream.on("data", (chunk) => target.write(chunk));
        if (target !== process.stdout && target !== process.stderr) stream.on("end", () => target.end());
        return target;
      },
      unpipe: () => stream,
      destroy(error) {
        stream.destroyed = stream.hasEnded = true;
        process.nextTick(() => {
          for (const each of asError(error)) stream.emit("error", each);
          stream.emit("close");
        });
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

  class Readable extends EventEmitter {
    constructor(options = {}) {
      super();
      exports.makeReadable(this);
      if (options.read) this._read = options.read;
      if (options.encoding) this.setEncoding(options.encoding);
    }
    _start() {
      for (let before = -1; this._read && !this.hasEnded && before !== this.pushes; ) {
        before = this.pushes;
        this._read();
      }
    }
    pushes = 0;
    static from(values) {
      const stream = new Readable();
      stream._start = async () => {
        stream._start = () => {};
        for await (const value of typeof values === "string" ? [values] : values) stream.push(value);
        stream.push(null);
      };
      return stream;
    }
  }

  class Writable extends EventEmitter {
    constructor(options = {}) {
      super();
      this.writable = true;
      if (options.write) this._write = options.write;
      if (options.final) this._final = options.final;
    }
    write(data, encoding, done) {
      const callback = [encoding, done].find((each) => typeof each === "function");
      const chunk = typeof data === "string" ? Buffer.from(data) : data;
      this._write(chunk, "buffer", (error) => {
        if (error) this.emit("error", error);
        else callback?.();
      });
      return true;
    }
    end(data, encoding, done) {
      if (data !== undefined && typeof data !== "function") this.write(data, encoding);
      const callback = [data, encoding, done].find((each) => typeof each === "function");
      const finish = () => {
        this.writable = false;
        process.nextTick(() => {
          this.emit("finish");
          callback?.();
          this.emit("close");
        });
      };
      if (this._final) this._final(finish);
      else finish();
      return this;
    }
    _write() {
      throw codedError(Error, "ERR_METHOD_NOT_IMPLEMENTED", "The _write() method is not implemented");
    }
  }

  for (const name of ["Transform", "Duplex", "PassThrough", "pipeline", "finished"])
    exports[name] = function () {
      throw new Error(`stream.${name}: programs whose time is counted do not have it`);
    };
  Object.assign(exports, { Readable, Writable, Stream: EventEmitter });
})
