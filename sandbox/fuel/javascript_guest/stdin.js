// Standard input: one line for each read, as Node gives them when lines come one by one.
"use strict";
(function (module, exports, { builtin, input, std, process }) {
  const { EventEmitter } = builtin("events");
  const { makeReadable } = builtin("stream");

  const stdin = (exports.stdin = makeReadable(new EventEmitter()));
  Object.assign(stdin, { fd: 0, isTTY: undefined, isRaw: false });
  stdin.setRawMode = () => stdin;
  input.isWanted = () => stdin.isFlowing && !stdin.hasEnded;
  input.deliver = (line) => stdin.push(line === null ? null : `${line}\n`);
})
