// detective - tries C, B, C, C; whoever let the B pass is robbed to the end, others get tit for tat
const letters = (history) => history.match(/[CB]/g) || [];
const [, other] = process.argv.slice(2).map(letters);

const OPENING = ["C", "B", "C", "C"];
const round = other.length;
const struckBack = other.includes("B");

if (round < OPENING.length) console.log(OPENING[round]);
else if (struckBack) console.log(other[round - 1]);
else console.log("B");
