// An iterator of lines that is asked by hand, with a failure that is caught.
const it = require("readline").createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const next = async () => (await it.next()).value;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
(async () => {
  console.log(await next());
  await sleep(20);
  console.log(await next(), await next());
  await Promise.reject(new Error("expected")).catch((error) => console.log(error.message));
  try {
    await Promise.all([sleep(1), Promise.reject(new TypeError("both"))]);
  } catch (error) {
    console.log(error.name);
  }
  let line;
  while ((line = await next()) !== undefined) console.log("rest", line);
})().finally(() => console.log("finally"));
