(async () => {
  let size = 0;
  for await (const chunk of process.stdin) {
    if (!Buffer.isBuffer(chunk)) throw new Error("no buffer");
    size += chunk.length;
  }
  console.log(size);
  process.exitCode = 5;
})();
