console.log("thrown values");
throw { a: 1 };
