#!/usr/bin/env node
// playouts - asks chance
//
// Plays many games to their end by chance from each move that is allowed, and makes the one after which
// most of them were won. It thinks for a third of its time, half a second at most.
"use strict";

const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const OPEN = 0, DRAWN = 3; // of a board; 1 and 2 say who won it

const hasLine = (marks, start, mark) =>
  LINES.some((line) => line.every((place) => marks[start + place] === mark));

function stateOf(squares, board) {
  if (hasLine(squares, 9 * board, 1)) return 1;
  if (hasLine(squares, 9 * board, 2)) return 2;
  return squares.subarray(9 * board, 9 * board + 9).includes(0) ? OPEN : DRAWN;
}

const copyOf = (game) => ({ ...game, squares: game.squares.slice(), boards: game.boards.slice() });

function movesOf({ squares, boards, forced }) {
  const moves = [];
  for (let board = 0; board < 9; board++) {
    if (boards[board] !== OPEN || (forced !== 9 && forced !== board)) continue;
    for (let square = 9 * board; square < 9 * board + 9; square++) {
      if (squares[square] === 0) moves.push(square);
    }
  }
  return moves;
}

// Makes a move; true if it wins the game.
function play(game, square) {
  const board = Math.floor(square / 9), place = square % 9, mark = game.mover;
  game.squares[square] = mark;
  game.boards[board] = stateOf(game.squares, board);
  game.forced = game.boards[place] === OPEN ? place : 9;
  game.mover = 3 - mark;
  return game.boards[board] === mark && hasLine(game.boards, 0, mark);
}

// Who wins when both move by chance; in a tie a little for whoever has more boards.
function chanceResult(game, me) {
  for (let moves = movesOf(game); moves.length > 0; moves = movesOf(game)) {
    const mark = game.mover;
    if (play(game, moves[Math.floor(Math.random() * moves.length)])) return mark === me ? 1 : -1;
  }
  const lead = game.boards.filter((b) => b === me).length - game.boards.filter((b) => b === 3 - me).length;
  return Math.sign(lead) / 10;
}

function choose(game, deadline) {
  const me = game.mover;
  const candidates = movesOf(game).map((square) => ({ square, sum: 0, number: 0 }));
  do {
    for (const candidate of candidates) {
      const trial = copyOf(game);
      if (play(trial, candidate.square)) return candidate.square;
      candidate.sum += chanceResult(trial, me);
      candidate.number += 1;
    }
  } while (Date.now() < deadline);
  return candidates.sort((a, b) => b.sum / b.number - a.sum / a.number)[0].square;
}

const begin = Date.now();
const [time, state] = process.argv.slice(2);
const squares = Uint8Array.from(state.slice(2), Number);
const boards = Uint8Array.from({ length: 9 }, (_, board) => stateOf(squares, board));
const game = { squares, boards, mover: Number(state[0]), forced: Number(state[1]) };
console.log(choose(game, begin + 1000 * Math.min(Number(time) / 3, 0.5)));
