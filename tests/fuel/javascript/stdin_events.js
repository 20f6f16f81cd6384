let text = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  text += chunk;
});
process.stdin.on("end", () => {
  console.log(text.split("\n"));
  process.stdout.write("bye\n", () => process.exit(3));
});
process.on("exit", (code) => console.log("exit with", code));
