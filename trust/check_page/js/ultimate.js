// ultimate.js - the rules of Ultimate Tic-Tac-Toe (contest/games/ultimate_tic_tac_toe.py), for a game against a reader.
import { LINES } from "./bidding.js";

export const BOARDS = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const ANY_BOARD = 9;
const EMPTY = "0";
const MARKS = ["1", "2"]; // by seat; seat 0, X, moves first

/** `squares`: 81 characters, board b from 9b on; `last`: the square of the last move. */
export const emptySquares = () => ({ squares: EMPTY.repeat(81), last: null, mover: 0 });

export const boardOf = (square) => Math.floor(square / 9);
const hasLine = (marks, mark) => LINES.some((line) => line.every((place) => marks[place] === mark));
const marksOf = (squares, board) => squares.slice(9 * board, 9 * board + 9);
const seatIn = (marks) => MARKS.findIndex((mark) => hasLine(marks, mark));

/** The seat that has a mark in this square, or has won this board, or the game; -1: nobody. */
export const ownerOf = ({ squares }, square) => MARKS.indexOf(squares[square]);
export const boardWinner = ({ squares }, board) => seatIn(marksOf(squares, board));
export const gameWinner = (position) => seatIn(BOARDS.map((board) => MARKS[boardWinner(position, board)] ?? EMPTY));

const isClosed = (position, board) => boardWinner(position, board) >= 0 || !marksOf(position.squares, board).includes(EMPTY);

/** The board in which the next move must be; null if any that is open is allowed. */
export function forcedBoard(position) {
  const board = position.last % 9;
  return position.last === null || isClosed(position, board) ? null : board;
}

/** The squares in which one may move, ascending; none when the game is over. */
export function openSquares(position) {
  if (gameWinner(position) >= 0) return [];
  const forced = forcedBoard(position);
  const boards = (forced === null ? BOARDS : [forced]).filter((board) => !isClosed(position, board));
  return boards.flatMap((board) => BOARDS.map((place) => 9 * board + place)).filter((square) => position.squares[square] === EMPTY);
}

export function afterMove({ squares, mover }, square) {
  return { squares: squares.slice(0, square) + MARKS[mover] + squares.slice(square + 1), last: square, mover: 1 - mover };
}

/** What the program is asked in this position. `seconds`: as it is told that it may think. */
export const questionIn = (position, seconds) => [`${seconds}`, `${MARKS[position.mover]}${forcedBoard(position) ?? ANY_BOARD}${position.squares}`];

/** The square in an answer; null for another text. */
export const squareIn = (answer) => (/^\s*[+-]?\d{1,18}\s*$/.test(answer) ? Number(answer) : null);

/** How many boards a seat has won. */
export const boardsWon = (position, seat) => BOARDS.filter((board) => boardWinner(position, board) === seat).length;
