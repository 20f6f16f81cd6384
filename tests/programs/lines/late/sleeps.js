setInterval(() => {}, 86400000);
