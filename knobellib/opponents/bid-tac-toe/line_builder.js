#!/usr/bin/env node
// line_builder - all for one line
//
// Picks a line that it can still complete, a diagonal if it has the choice (a diagonal crosses every
// other line, so that the opponent gets none), and divides its whole bankroll among the squares that it
// still needs. When no line is left to complete, it does the same with the opponent's, to break them.
"use strict";

const LINES = [[0, 4, 8], [2, 4, 6], [0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8]];

let owner, bankroll, mine, games = 0;

const missing = (line) => line.filter((square) => owner[square] === null);

// The line that needs the fewest squares to be complete, of those that this owner can still complete.
function nearest(who) {
  const possible = LINES.filter((line) => line.every((s) => owner[s] === who || owner[s] === null))
    .filter((line) => missing(line).length > 0);
  const diagonals = games % 2 ? [1, 0] : [0, 1]; // not always the same one
  const order = [...diagonals, 2, 3, 4, 5, 6, 7].map((index) => LINES[index]);
  return order.filter((line) => possible.includes(line)).sort((a, b) => missing(a).length - missing(b).length)[0];
}

function answer() {
  const line = nearest("us") ?? nearest("them");
  const wanted = line ? missing(line) : [...owner.keys()].filter((square) => owner[square] === null);
  mine = Array(9).fill(0);
  wanted.forEach((square, index) => {
    mine[square] = Math.floor(bankroll / wanted.length) + (index < bankroll % wanted.length ? 1 : 0);
  });
  console.log(mine.join(" "));
}

function settle(theirs) {
  for (const square of owner.keys()) {
    if (mine[square] > theirs[square]) {
      owner[square] = "us";
      bankroll -= mine[square];
    } else if (mine[square] < theirs[square]) {
      owner[square] = "them";
    }
  }
}

require("readline").createInterface({ input: process.stdin }).on("line", (text) => {
  const [command, ...words] = text.trim().split(/\s+/);
  if (command === "newgame") {
    owner = Array(9).fill(null);
    bankroll = 100;
    games += 1;
  } else {
    settle(words.map(Number));
  }
  if (command !== "gameover") answer();
});
