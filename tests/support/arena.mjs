// Plays against the programs of an archive as the check page does, and by its rules: JSON in, JSON out.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { runInThisContext } from "node:vm";

const page = `${dirname(fileURLToPath(import.meta.url))}/../../trust/check_page`;
runInThisContext(readFileSync(`${page}/noble.js`, "utf8"));
const { constants, visits = [], pairs = [], texts = [], bids = [], squares = [], answers = [] } = JSON.parse(readFileSync(0, "utf8"));
runInThisContext(constants);
const { Archive, unpacked } = await import(`${page}/js/archive.js`);
const { Opponents } = await import(`${page}/js/opponents.js`);
const throwsOf = await import(`${page}/js/throws.js`);
const { bidsIn, ...bidding } = await import(`${page}/js/bidding.js`);
const { toldWhatHappened } = await import(`${page}/js/happened.js`);
const ultimate = await import(`${page}/js/ultimate.js`);
const module = new WebAssembly.Module(readFileSync(`${page}/knobeln.wasm`));

/** What the page says of each of these questions to the programs of an archive. */
async function asked({ archive, questions }) {
  const files = await unpacked(new Blob([readFileSync(archive)]));
  const opponents = new Opponents(new Archive(files, () => {}), module);
  const listed = opponents.listed();
  const answers = questions.map(({ random, ...question }) => {
    const answer = opponents.answer({ ...question, random: Buffer.from(random, "hex") });
    const seat = answer.seats?.[1];
    const fault = seat && seat.verdict !== "OK" ? throwsOf.toldFault(question.name, seat.verdict, answer.forbidden[1], listed.game) : "";
    return { ...answer, fault };
  });
  return { listed, answers };
}

/** The positions of a game of Bid-Tac-Toe after these rounds. */
function roundsOf(rounds) {
  let board = bidding.emptyBoard();
  return rounds.map((both) => {
    const why = [0, 1].map((seat) => bidding.whyNoBids(board, seat, both[seat]));
    if (!why.some(Boolean)) board = bidding.afterBids(board, both);
    return { why, board, isOver: bidding.isOver(board), lines: [0, 1].map((seat) => bidding.linesOf(board.owners, seat)), question: bidding.questionOn(board) };
  });
}

/** The positions of a game of Ultimate Tic-Tac-Toe before these moves, and at the end. */
function movesOf(moves) {
  const positions = [ultimate.emptySquares()];
  for (const square of moves) positions.push(ultimate.afterMove(positions.at(-1), square));
  return positions.map((position) => ({
    question: ultimate.questionIn(position, 5), open: ultimate.openSquares(position), winner: ultimate.gameWinner(position), won: [0, 1].map((seat) => ultimate.boardsWon(position, seat)),
  }));
}

const answered = [];
for (const visit of visits) answered.push(await asked(visit).catch((failed) => ({ error: failed.message })));
console.log(JSON.stringify({
  visits: answered,
  winners: pairs.map(([first, second]) => throwsOf.winnerOf(first, second)),
  told: pairs.map((pair) => throwsOf.toldThrow(pair, "it", 7)),
  whyNot: texts.map(([text, own, rules]) => throwsOf.whyNot(text, own, rules)),
  happened: answers.map(toldWhatHappened),
  rounds: bids.map(roundsOf),
  moves: squares.map(movesOf),
}));
