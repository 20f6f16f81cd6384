process.stdin.on("data", () => { throw new Error("no idea"); });
