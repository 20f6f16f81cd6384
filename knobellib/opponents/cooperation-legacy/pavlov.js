// pavlov - cooperates when both did the same in the last round, betrays when they did not
const [own = "", other = ""] = process.argv.slice(2);
console.log(own.slice(-1) === other.slice(-1) ? "C" : "B");
