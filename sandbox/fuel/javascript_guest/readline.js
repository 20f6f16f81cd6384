"use strict";
(function (module, exports, { builtin, codedError }) {
  const { EventEmitter } = builtin("events");

  class Interface extends EventEmitter {
    #rest = "";
    #isPaused = false;
    #kept = []; // lines that came while paused
    #question = null;
    #iterator = null;
    #taker = null;
    #prompt;

    constructor(input, output) {
      super();
      const options = input?.input ? input : { input, output };
      if (!options.input) throw codedError(TypeError, "ERR_INVALID_ARG_TYPE", 'The "input" option must be a stream');
      Object.assign(this, { input: options.input, output: options.output, terminal: false, line: "", cursor: 0, closed: false });
      this.#prompt = options.prompt ?? "> ";
      const take = (text) => this.#take(text);
      if (typeof this.input.isFlowing === "boolean" && !this.input.taker) this.input.taker = this.#taker = take;
      else this.input.on("data", (data) => take(String(data)));
      this.input.on("end", () => this.#end());
      this.input.resume();
    }

    #take(text) {
      if (this.closed) return;
      if (!this.#rest && text.indexOf("\n") === text.length - 1 && !text.includes("\r")) return this.#onLine(text.slice(0, -1));
      const lines = (this.#rest + text).split(/\r\n|\n|\r(?!$)/);
      this.#rest = lines.pop();
      for (const line of lines) this.#onLine(line);
    }

    #onLine(line) {
      if (this.closed) return;
      if (this.#isPaused) {
        this.#kept.push(line);
        return;
      }
      if (this.#question) {
        const answer = this.#question;
        this.#question = null;
        answer(line);
      } else this.emit("line", line);
    }

    #end() {
      if (this.#rest) this.#onLine(this.#rest.replace(/\r$/, ""));
      this.#rest = "";
      this.close();
    }

    close() {
      if (this.closed) return;
      this.closed = true;
      this.pause();
      if (this.#taker && this.input.taker === this.#taker) this.input.taker = null;
      this.emit("close");
    }
    pause() {
      if (this.#isPaused) return this;
      this.#isPaused = true;
      this.input.pause();
      this.emit("pause");
      return this;
    }
    resume() {
      if (!this.#isPaused) return this;
      this.#isPaused = false;
      this.input.resume();
      this.emit("resume");
      while (this.#kept.length && !this.#isPaused) this.#onLine(this.#kept.shift());
      return this;
    }
    setPrompt(prompt) {
      this.#prompt = prompt;
    }
    getPrompt() {
      return this.#prompt;
    }
    prompt() {
      if (this.#isPaused) this.resume();
      this.output?.write(this.#prompt);
    }
    question(query, options, answer) {
      if (this.closed) throw codedError(Error, "ERR_USE_AFTER_CLOSE", "readline was closed");
      const callback = typeof options === "function" ? options : answer;
      if (this.#question) {
        this.prompt();
        return;
      }
      this.#question = callback;
      if (this.#isPaused) this.resume();
      this.output?.write(query);
    }
    write() {}
    // One iterator for all loops, so that a line that came between two of them is not lost.
    [Symbol.asyncIterator]() {
      this.#iterator ??= linesOf(this);
      return this.#iterator;
    }
  }

  function linesOf(lines) {
    const waiting = [], asked = [];
    let isOver = lines.closed;
    const give = (line) => (asked.length ? asked.shift()({ value: line, done: false }) : waiting.push(line));
    const end = () => {
      isOver = true;
      for (const each of asked.splice(0)) each({ value: undefined, done: true });
    };
    lines.on("line", give);
    lines.on("close", end);
    return {
      next: () =>
        new Promise((resolve) => {
          if (waiting.length) resolve({ value: waiting.shift(), done: false });
          else if (isOver) resolve({ value: undefined, done: true });
          else asked.push(resolve);
        }),
      return() {
        lines.off("line", give);
        lines.close();
        return Promise.resolve({ value: undefined, done: true });
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  class PromiseInterface extends Interface {
    question(query) {
      return new Promise((resolve, reject) => {
        if (this.closed) reject(codedError(Error, "ERR_USE_AFTER_CLOSE", "readline was closed"));
        else super.question(query, resolve);
      });
    }
  }

  Object.assign(exports, {
    Interface,
    createInterface: (input, output) => new Interface(input, output),
    promises: { Interface: PromiseInterface, createInterface: (input, output) => new PromiseInterface(input, output) },
  });
})
