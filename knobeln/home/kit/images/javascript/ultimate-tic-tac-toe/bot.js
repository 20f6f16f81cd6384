// Plays in the first open square. Arguments: T and the game's state.
const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const state = process.argv[3];
const forced = state[1], squares = state.slice(2);

const isWon = (marks) => LINES.some(([a, b, c]) => marks[a] !== "0" && marks[a] === marks[b] && marks[b] === marks[c]);

for (let square = 0; square < 81; square++) {
  const board = Math.floor(square / 9);
  const isAllowed = forced === "9" || forced === String(board);
  if (isAllowed && squares[square] === "0" && !isWon(squares.slice(9 * board, 9 * board + 9))) {
    console.log(square);
    break;
  }
}
