console.log(Number(process.argv[2]) + 1);
