// Does what the other did in the last round. Arguments: [C,B] [C,C], its own decisions and the other's.
const other = process.argv[3].match(/[CB]/g) || ["C"];
console.log(other[other.length - 1]);
