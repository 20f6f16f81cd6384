console.log("thinking");
console.log(Number(process.argv[2]) + 1);
