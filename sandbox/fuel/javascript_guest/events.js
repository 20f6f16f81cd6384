"use strict";
(function (module, exports, { check, codedError, builtin }) {
  const NEWER = "newListener", REMOVED = "removeListener";

  function EventEmitter() {
    EventEmitter.init(this);
  }
  EventEmitter.init = (emitter) => {
    Object.defineProperty(emitter, "_events", { value: new Map(), writable: true, configurable: true });
  };

  // Emitters of old style never call the constructor.
  function eventsOf(emitter) {
    if (!Object.hasOwn(emitter, "_events")) EventEmitter.init(emitter);
    return emitter._events;
  }

  function add(emitter, name, listener, isFirst, isOnce) {
    check(listener, "function", "listener");
    const events = eventsOf(emitter);
    if (events.has(NEWER)) emitter.emit(NEWER, name, listener);
    const entry = { listener, isOnce };
    const entries = events.get(name) ?? [];
    events.set(name, isFirst ? [entry, ...entries] : [...entries, entry]);
    return emitter;
  }

  Object.assign(EventEmitter.prototype, {
    on(name, listener) {
      return add(this, name, listener, false, false);
    },
    once(name, listener) {
      return add(this, name, listener, false, true);
    },
    prependListener(name, listener) {
      return add(this, name, listener, true, false);
    },
    prependOnceListener(name, listener) {
      return add(this, name, listener, true, true);
    },
    off(name, listener) {
      check(listener, "function", "listener");
      const events = eventsOf(this), entries = events.get(name) ?? [];
      const place = entries.findLastIndex((entry) => entry.listener === listener);
      if (place < 0) return this;
      if (entries.length > 1) events.set(name, entries.toSpliced(place, 1));
      else events.delete(name);
      if (events.has(REMOVED)) this.emit(REMOVED, name, listener);
      return this;
    },
    removeAllListeners(name) {
      if (name === undefined) eventsOf(this).clear();
      else eventsOf(this).delete(name);
      return this;
    },
    emit(name, ...args) {
      const entries = eventsOf(this).get(name);
      if (!entries) {
        if (name !== "error") return false;
        if (args[0] instanceof Error) throw args[0];
        const error = codedError(Error, "ERR_UNHANDLED_ERROR", `Unhandled error. (${builtin("inspect").inspect(args[0])})`);
        error.context = args[0];
        throw error;
      }
      for (const { listener, isOnce } of entries) {
        if (isOnce) this.off(name, listener);
        Reflect.apply(listener, this, args);
      }
      return true;
    },
    listenerCount(name) {
      return eventsOf(this).get(name)?.length ?? 0;
    },
    listeners(name) {
      return (eventsOf(this).get(name) ?? []).map((entry) => entry.listener);
    },
    rawListeners(name) {
      return this.listeners(name);
    },
    eventNames() {
      return [...eventsOf(this).keys()];
    },
    setMaxListeners() {
      return this;
    },
    getMaxListeners() {
      return EventEmitter.defaultMaxListeners;
    },
  });
  EventEmitter.prototype.addListener = EventEmitter.prototype.on;
  EventEmitter.prototype.removeListener = EventEmitter.prototype.off;
  for (const name of Object.keys(EventEmitter.prototype)) Object.defineProperty(EventEmitter.prototype, name, { enumerable: false });

  // Resolves with the arguments of the next event of this name.
  function once(emitter, name) {
    return new Promise((resolve, reject) => {
      const failed = (error) => {
        emitter.off(name, done);
        reject(error);
      };
      const done = (...args) => {
        emitter.off("error", failed);
        resolve(args);
      };
      emitter.once(name, done);
      if (name !== "error") emitter.once("error", failed);
    });
  }

  // An endless iterator of the arguments of events.
  async function* on(emitter, name) {
    const waiting = [];
    let wake = null, failure = null;
    emitter.on(name, (...args) => {
      waiting.push(args);
      wake?.();
    });
    emitter.on("error", (error) => {
      failure = error;
      wake?.();
    });
    for (;;) {
      while (waiting.length) yield waiting.shift();
      if (failure) throw failure;
      await new Promise((resolve) => (wake = resolve));
    }
  }

  module.exports = Object.assign(EventEmitter, { EventEmitter, once, on, defaultMaxListeners: 10 });
  EventEmitter.listenerCount = (emitter, name) => emitter.listenerCount(name);
})
