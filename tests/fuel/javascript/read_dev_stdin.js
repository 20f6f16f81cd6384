const input = require("fs").readFileSync("/dev/stdin").toString();
console.log(JSON.stringify(input));
