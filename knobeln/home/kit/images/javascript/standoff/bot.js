// Shoots while it has ammunition, then reloads. Arguments: 20/1/P 20/0/N 16/2/R, its own state first.
const ammunition = Number(process.argv[2].split("/")[1]);
console.log(ammunition > 0 ? "S" : "R");
