// Does what the other did in the last round. Arguments: C/B C/C, its own decisions and the other's; at first none.
const other = process.argv[3] || "C";
console.log(other.slice(-1));
