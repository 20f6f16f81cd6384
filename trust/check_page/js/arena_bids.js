// arena_bids.js - a game of Bid-Tac-Toe on the page: nine squares, each with a bid.
import { SQUARES, afterBids, bidsIn, emptyBoard, isOver, linesOf, questionOn, whyNoBids } from "./bidding.js";
import { made } from "./elements.js";
import { toldWhatHappened } from "./happened.js";
import { count, say } from "./words.js";

const STEP_DOLLARS = 5; // that a click adds to a bid

export function bidView(table, place) {
  let board = emptyBoard();
  const questions = [questionOn(board)];
  const rounds = []; // the bids of both

  // --- what is shown ---
  const purse = made("p", { className: "score" });
  const squares = SQUARES.map(squareOf);
  const actions = made("p", {}, made("button", { textContent: say("Bid") }), " ", made("button", { type: "reset", textContent: say("Clear") }));
  const form = made("form", { noValidate: true }, made("div", { className: "bids" }, ...squares.map(({ cell }) => cell)),
    actions);

  function squareOf(square) {
    const number = square + 1;
    const input = made("input", { type: "number", inputMode: "numeric", min: 0, value: "", placeholder: "0", ariaLabel: say("Your bid for square {number}", { number }) });
    const more = made("button", { type: "button", textContent: `+${STEP_DOLLARS}`, ariaLabel: say("{dollars} dollars more for square {number}", { dollars: STEP_DOLLARS, number }) });
    const owner = made("b", { className: "owner" });
    const last = made("small");
    more.onclick = () => {
      input.value = Number(input.value) + STEP_DOLLARS;
      showPurse();
    };
    input.oninput = showPurse;
    return { input, more, owner, last, cell: made("div", {}, made("small", { textContent: number }), owner, input, more, last) };
  }

  function showPurse() {
    const values = { left: board.bankrolls[0] - sumOf(bidsOfReader()), own: board.bankrolls[0], other: board.bankrolls[1], name: table.name };
    purse.textContent = say("You have {own} dollars, {left} of them not bid; {name} has {other}.", values);
  }

  function show() {
    squares.forEach(({ input, more, owner, last, cell }, square) => {
      const seat = board.owners[square];
      const isTaken = seat !== null;
      owner.textContent = isTaken ? [say("you"), table.name][seat] : "";
      input.value = "";
      input.hidden = more.hidden = isTaken;
      cell.className = isTaken ? `taken s${seat}` : "";
      const [own, other] = (board.bids ?? []).map((bids) => bids[square]);
      last.textContent = own || other ? say("bids {own} : {other}", { own, other }) : "";
    });
    showPurse();
  }

  // --- what happens ---
  const bidsOfReader = () => squares.map(({ input, more }) => (more.hidden ? 0 : Number(input.value)));

  async function bid() {
    const own = bidsOfReader();
    const why = own.every(Number.isInteger) ? whyNoBids(board, 0, own) : say("bids are whole dollars");
    if (why) table.tell(say("This cannot be bid: {why}.", { why }));
    if (why || table.isBusy) return;
    const answer = await table.ask({ questions });
    if (!answer) return;
    const other = answer.answer === undefined ? null : bidsIn(answer.answer);
    const fault = other ? whyNoBids(board, 1, other) : toldWhatHappened(answer);
    if (fault) {
      finish(say("{name} has lost the game: {why}.", { name: table.name, why: fault }));
      return;
    }
    happened([own, other]);
  }

  function happened(bids) {
    const before = board;
    board = afterBids(board, bids);
    rounds.push(bids);
    questions.push(questionOn(board));
    show();
    if (isOver(board)) {
      finish(ending());
      return;
    }
    const won = [0, 1].map((seat) => SQUARES.filter((square) => board.owners[square] === seat && before.owners[square] === null).map((square) => square + 1).join(", "));
    const nothing = say("none");
    table.tell(say("Round {number}. New squares: yours {own}, {name}'s {other}.", { number: rounds.length, own: won[0] || nothing, other: won[1] || nothing, name: table.name }));
    squares.find(({ input }) => !input.hidden).input.focus();
  }

  function ending() {
    const [own, other] = [0, 1].map((seat) => linesOf(board.owners, seat));
    const values = { own, other, name: table.name };
    if (own === other) return count(own, "The game is over: {number} line of three each. Nobody has won.", "The game is over: {number} lines of three each. Nobody has won.");
    return own > other ? say("The game is over, and you have won it: {own} to {other} lines of three.", values)
      : say("The game is over, and {name} has won it: {other} to {own} lines of three.", values);
  }

  function finish(sentence) {
    actions.hidden = true;
    for (const { input, more } of squares) input.hidden = more.hidden = true;
    table.finish(sentence, { rounds });
  }

  form.onsubmit = (event) => {
    event.preventDefault();
    bid();
  };
  form.onreset = () => setTimeout(showPurse);
  place.replaceChildren(
    made("p", { className: "rule", textContent: say("Both bid dollars for the nine squares, in secret and at the same time. The higher bid takes a square, and only its winner pays. Whoever has more lines of three at the end wins.") }),
    made("p", { textContent: say("Each has 100 dollars for the whole game. Equal bids take nothing. After three rounds without a change, or when all squares are taken, the game is over.") }),
    purse, ...table.events, form,
  );
  show();
  table.tell(say("Bid for as many squares as you like."));
}

const sumOf = (numbers) => numbers.reduce((all, number) => all + number, 0);
