// bidding.js - the rules of Bid-Tac-Toe (contest/games/bid_tac_toe.py), for a game against a reader.
import { say } from "./words.js";

export const SQUARES = [0, 1, 2, 3, 4, 5, 6, 7, 8];
export const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const BANKROLL = 100;
const PATIENCE = 3; // rounds in a row without a change, after which the game is over
const READER = "reader"; // as programs are told who plays against them

export const emptyBoard = () => ({ owners: Array(9).fill(null), bankrolls: [BANKROLL, BANKROLL], bids: null, unchanged: 0 });

export const isOver = ({ owners, unchanged }) => !owners.includes(null) || unchanged === PATIENCE;

/** How many lines this seat has. */
export const linesOf = (owners, seat) => LINES.filter((line) => line.every((square) => owners[square] === seat)).length;

/** What the program, which has seat 1, is asked in this position. */
export const questionOn = ({ bids }) => (bids ? ["nextround", ...bids[0]] : ["newgame", READER]);

/** The bids in an answer; null for another text. */
export function bidsIn(answer) {
  const words = answer.trim().split(/\s+/);
  return words.length === SQUARES.length && words.every((word) => /^[+-]?\d{1,18}$/.test(word)) ? words.map(Number) : null;
}

/** Why this seat may not make these bids; "" if it may. */
export function whyNoBids({ owners, bankrolls }, seat, bids) {
  const wrong = SQUARES.find((square) => bids[square] < 0 || (bids[square] && owners[square] !== null));
  if (wrong !== undefined) return say("{bid} cannot be bid for square {square}", { bid: bids[wrong], square: wrong + 1 });
  const sum = bids.reduce((all, bid) => all + bid, 0);
  return sum > bankrolls[seat] ? say("the bids add up to {sum} dollars, but there are only {bankroll}", { sum, bankroll: bankrolls[seat] }) : "";
}

/** The position after a round: the higher bid takes the square, and only its winner pays. `bids`: by seat. */
export function afterBids(board, bids) {
  const winners = SQUARES.map((square) => (bids[0][square] === bids[1][square] ? null : Number(bids[1][square] > bids[0][square])));
  const owners = SQUARES.map((square) => winners[square] ?? board.owners[square]);
  const paid = (seat) => SQUARES.reduce((all, square) => all + (winners[square] === seat ? bids[seat][square] : 0), 0);
  const hasChanged = owners.some((owner, square) => owner !== board.owners[square]);
  return { owners, bankrolls: board.bankrolls.map((dollars, seat) => dollars - paid(seat)), bids, unchanged: hasChanged ? 0 : board.unchanged + 1 };
}
