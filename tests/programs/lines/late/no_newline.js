process.stdin.on("data", () => process.stdout.write("1"));
