// arena_squares.js - a game of Ultimate Tic-Tac-Toe on the page: 81 buttons.
import { made } from "./elements.js";
import { toldWhatHappened } from "./happened.js";
import { BOARDS, afterMove, boardOf, boardWinner, boardsWon, emptySquares, forcedBoard, gameWinner, openSquares, ownerOf, questionIn, squareIn } from "./ultimate.js";
import { say } from "./words.js";

const SIGNS = ["X", "O"];
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function squareView(table, place) {
  const reader = table.readerBegins ? 0 : 1; // its seat
  const questions = [];
  const moves = [];
  let position = emptySquares();

  // --- what is shown ---
  const state = made("p", { className: "score" });
  const buttons = Array.from({ length: 81 }, (_, square) => made("button", { type: "button", onclick: () => choose(square) }));
  const boards = BOARDS.map((board) => made("div", { role: "group" }, ...buttons.slice(9 * board, 9 * board + 9)));
  const grid = made("div", { className: "boards", onkeydown: walk }, ...boards);
  const placeOf = (square) => say("board {board}, square {square}", { board: boardOf(square) + 1, square: (square % 9) + 1 });

  function show() {
    const empty = say("empty");
    const open = new Set(position.mover === reader ? openSquares(position) : []);
    buttons.forEach((button, square) => {
      const owner = ownerOf(position, square);
      const isOpen = open.has(square);
      const sign = SIGNS[owner] ?? empty;
      button.textContent = SIGNS[owner] ?? "";
      button.className = `${owner < 0 ? "" : `s${owner}`} ${square === position.last ? "last" : ""} ${isOpen ? "open" : ""}`;
      button.tabIndex = isOpen ? 0 : -1;
      button.setAttribute("aria-disabled", isOpen ? "false" : "true");
      button.setAttribute("aria-label", say("{place}: {sign}", { place: placeOf(square), sign }));
    });
    boards.forEach((part, board) => {
      const winner = boardWinner(position, board);
      part.className = winner < 0 ? "" : `s${winner}`;
      part.dataset.won = SIGNS[winner] ?? "";
      part.setAttribute("aria-label", winner < 0 ? say("board {number}", { number: board + 1 }) : say("board {number}, won by {sign}", { number: board + 1, sign: SIGNS[winner] }));
    });
    const values = { own: SIGNS[reader], other: SIGNS[1 - reader], name: table.name, first: boardsWon(position, reader), second: boardsWon(position, 1 - reader) };
    state.textContent = say("Boards won: you ({own}) {first}, {name} ({other}) {second}.", values);
  }

  /** An arrow leads to the next square in its direction in which one may play. */
  function walk(event) {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    let [x, y] = spotOf(buttons.indexOf(document.activeElement));
    do [x, y] = [x + step[0], y + step[1]];
    while (buttons[squareAt(x, y)]?.tabIndex < 0);
    buttons[squareAt(x, y)]?.focus();
  }

  // --- what happens ---
  function choose(square) {
    if (table.isBusy) return;
    if (!openSquares(position).includes(square)) {
      table.tell(say("You cannot play there. {where}", { where: whereNext() }));
      return;
    }
    move(square);
    if (!isOver()) answer();
  }

  function move(square) {
    moves.push(square);
    position = afterMove(position, square);
    show();
    if (isOver()) finish(ending());
  }

  const isOver = () => !openSquares(position).length;

  async function answer() {
    questions.push(questionIn(position, table.listed.seconds));
    const did = await table.ask({ questions });
    if (!did) return;
    const square = did.answer === undefined ? null : squareIn(did.answer);
    if (square === null || !openSquares(position).includes(square)) {
      const why = square === null ? toldWhatHappened(did) : say("it may not play in square {square}", { square });
      finish(say("{name} has lost the game: {why}.", { name: table.name, why }));
      return;
    }
    move(square);
    if (isOver()) return;
    table.tell(say("{name} plays {place}. {where}", { name: table.name, place: placeOf(square), where: whereNext() }));
    buttons[openSquares(position)[0]].focus();
  }

  function whereNext() {
    const board = forcedBoard(position);
    return board === null ? say("You may play in any open board.") : say("You play in board {number}.", { number: board + 1 });
  }

  function ending() {
    const winner = gameWinner(position);
    const [own, other] = [boardsWon(position, reader), boardsWon(position, 1 - reader)];
    const values = { own, other, name: table.name };
    if (winner === reader) return say("The game is over: you have three boards in a row, and have won.");
    if (winner >= 0) return say("The game is over: {name} has three boards in a row, and has won.", values);
    return say("The game is over, and nobody has three boards in a row: you have {own} boards, {name} has {other}.", values);
  }

  function finish(sentence) {
    buttons.forEach((button) => (button.tabIndex = -1));
    table.finish(sentence, { moves, reader });
  }

  place.replaceChildren(
    made("p", { className: "rule", textContent: say("Nine boards of tic-tac-toe. The square that you take decides in which board the other one plays next. Three boards in a row win the game.") }),
    made("p", { textContent: say("Three squares in a row win a board. If that board is won or full, the next move may be in any other one. You may play in the empty squares that are outlined.") }),
    state, ...table.events, grid,
  );
  show();
  if (reader === 0) table.tell(say("You begin, in any square."));
  else answer();
}

const spotOf = (square) => [3 * (boardOf(square) % 3) + (square % 3), 3 * Math.floor(boardOf(square) / 3) + Math.floor((square % 9) / 3)];

/** The square in this column and row, from 0 on; -1 outside of the boards. */
function squareAt(x, y) {
  if (x < 0 || y < 0 || x > 8 || y > 8) return -1;
  return 9 * (3 * Math.floor(y / 3) + Math.floor(x / 3)) + 3 * (y % 3) + (x % 3);
}
