process.on("uncaughtException", (error) => console.log("handled", error.message));
setTimeout(() => { throw new Error("one"); }, 1);
setTimeout(() => console.log("goes on"), 20);
queueMicrotask(() => { throw new Error("zero"); });
