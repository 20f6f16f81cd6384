console.log("before");
setTimeout(() => console.log("never"), 1000);
setTimeout(() => process.exit(4), 1);
process.on("exit", (code) => console.log("exit", code, process.exitCode));
