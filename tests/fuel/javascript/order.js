// The order of timers, promises and ticks.
const log = (text) => () => console.log(text);
// A busy host stops node for some time between any two lines, and node counts a timer from the
// line that makes it: so the one that is made first has half a second more than the next one.
const last = new Promise((resolve) => setTimeout(resolve, 600)).then(log("timeout 600"));
setTimeout(log("timeout 10"), 10);
setTimeout((a, b) => console.log("arguments", a, b), 11, 1, 2);
const cleared = setTimeout(log("never"), 5);
clearTimeout(cleared);
process.nextTick(log("tick 1"));
Promise.resolve().then(log("promise 1")).then(log("promise 2")).then(() => process.nextTick(log("tick from promise"))).then(log("promise 3"));
queueMicrotask(log("microtask"));
process.nextTick((x) => console.log("tick", x), 2);
(async () => {
  console.log("async starts");
  await null;
  console.log("async 1");
  for (let i = 0; i < 2000; i++) await i;
  console.log("async after 2000 awaits");
  await last;
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log("async after 50 ms");
  await new Promise((resolve) => setImmediate(resolve));
  console.log("async after immediate");
  for await (const x of (async function* () { yield 1; yield 2; })()) console.log("generated", x);
  const results = await Promise.allSettled([1, Promise.reject(new Error("no")), require("timers/promises").setTimeout(5, "late")]);
  console.log(results.map((r) => r.status), results[2].value);
  await Promise.any([Promise.reject(1), 2]).then(console.log);
  await require("util").promisify(setTimeout)(1);
  process.nextTick(() => {
    console.log("tick in timer phase");
    setImmediate(() => {
      console.log("immediate");
      Promise.resolve().then(log("promise in immediate"));
      process.nextTick(log("tick in immediate"));
    });
  });
  await new Promise((resolve) => setTimeout(resolve, 30));
  let count = 0;
  await new Promise((resolve) => {
    const interval = setInterval(() => {
      console.log("interval", ++count);
      if (count < 3) return;
      clearInterval(interval);
      resolve();
    }, 5);
  });
  const start = Date.now();
  await new Promise((resolve) => setTimeout(resolve, 60));
  console.log("waited", Date.now() - start >= 59);
  const late = setTimeout(log("refreshed"), 10);
  late.refresh();
})();
console.log("main ends");
setTimeout(() => {}, 1e9).unref();
console.log(typeof setTimeout(() => {}, 1).ref, typeof +cleared);
process.on("exit", (code) => console.log("exit", code, process.exitCode));
process.on("beforeExit", log("before exit"));
