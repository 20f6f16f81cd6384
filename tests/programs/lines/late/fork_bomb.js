const { spawn } = require("child_process");
setInterval(() => spawn("sleep", ["1000"]).on("error", () => {}), 1);
