// arena_throws.js - a game of KNOBELN on the page: a number to choose, what each throw won, and a picture of the course.
import { drawn, made } from "./elements.js";
import { MAX_THROWS, seriesOf, suggested, toldFault, toldThrow, whyNot, winnerOf } from "./throws.js";
import { count, say } from "./words.js";

const [WIDTH, HEIGHT, LEFT, TOP] = [600, 190, 78, 12]; // of the picture; its margins
const [LARGE, SMALL] = [5, 2]; // dots of throws that have won, and of others

export function throwView(table, place) {
  const { game: rules } = table.listed;
  const all = Math.min(MAX_THROWS, rules.L);
  const throws = [[], []]; // by seat; the reader has the first
  const gains = []; // by throw: the points of both
  let points = [0, 0];

  // --- what is shown ---
  const score = made("p", { className: "score" });
  const input = made("input", { id: "thrown", type: "number", inputMode: "numeric", min: rules.a, max: rules.b, autocomplete: "off" });
  const label = made("label", { htmlFor: "thrown" });
  const quick = made("p", { className: "quick" });
  const form = made("form", { noValidate: true }, made("p", {}, label, " ", input, " ", made("button", { textContent: say("Throw") })), quick);
  const rows = made("tbody");
  const figure = made("figure");
  const heads = [say("throw"), say("you"), table.name, say("your points"), say("its points")];
  const list = made("details", { hidden: true }, made("summary", { textContent: say("All throws") }),
    made("div", { className: "scroll", tabIndex: 0, role: "region", "aria-label": say("All throws") },
      made("table", { className: "all-n" }, made("thead", {}, rowOf("th", heads)), rows)));

  function show() {
    const { lowest, missing } = seriesOf(throws[0], rules);
    const [own, other] = points.map((number) => number.toLocaleString("en"));
    score.replaceChildren(made("b", { textContent: say("You {own} : {other} {name}", { own, other, name: table.name }) }), " ",
      made("span", { textContent: say("throw {number} of {all}", { number: Math.min(throws[0].length + 1, all), all }) }));
    label.textContent = say("Your number, {lowest} to {highest}:", { lowest, highest: rules.b });
    input.min = lowest;
    showQuick();
    list.hidden = !gains.length;
    figure.replaceChildren(...pictureOf(throws, rules, all, table.name));
    return missing;
  }

  /** The buttons stay, so that the focus does; their numbers change. */
  function showQuick() {
    suggested(...throws).forEach(({ number, what }, at) => {
      if (!quick.children[at]) quick.append(made("button", { type: "button", onclick: ({ currentTarget }) => throwNumber(currentTarget.value, currentTarget) }));
      const why = whyNot(`${number}`, throws[0], rules);
      const button = quick.children[at];
      button.value = number;
      button.setAttribute("aria-disabled", why ? "true" : "false");
      button.replaceChildren(made("b", { textContent: number }), " ", made("span", { textContent: what }));
    });
  }

  // --- what happens ---
  async function throwNumber(text, focused) {
    if (table.isBusy) return;
    const why = whyNot(text, throws[0], rules);
    input.setAttribute("aria-invalid", why ? "true" : "false");
    if (why) {
      table.tell(why);
      focused.focus();
      return;
    }
    const result = await table.ask({ throws: [...throws[0], Number(text)] });
    if (result) happened(result, focused);
  }

  function happened(result, focused) {
    const fault = result.seats[1].verdict;
    if (fault !== "OK") {
      finish(say("{what} The game is over, and is yours.", { what: toldFault(table.name, fault, result.forbidden[1], rules) }), result);
      return;
    }
    const newest = result.seats.map((seat) => seat.points);
    gains.push(newest.map((number, seat) => number - points[seat]));
    points = newest;
    result.throws.forEach((own, seat) => (throws[seat] = own));
    const thrown = throws.map((own) => own.at(-1));
    rows.prepend(rowOf("td", [gains.length, ...thrown, ...gains.at(-1)]));
    input.value = "";
    const missing = show();
    if (gains.length === all) {
      finish(ending(), result);
      return;
    }
    const advice = missing ? count(missing, "You may go lower after {number} more throw.", "You may go lower after {number} more throws.") : say("Now you may go lower, too.");
    table.tell(`${toldThrow(thrown, table.name, Math.max(...gains.at(-1)))} ${advice}`);
    focused.focus();
  }

  function ending() {
    const [own, other] = points;
    const values = { own, other, name: table.name };
    if (own === other) return say("The game is over: {own} points each. Nobody has won.", values);
    return own > other ? say("The game is over, and you have won it: {own} to {other} points.", values)
      : say("The game is over, and {name} has won it: {other} to {own} points.", values);
  }

  function finish(sentence, { throws: record, digest, seats }) {
    form.hidden = true;
    table.finish(sentence, { throws: record, points, digest, verdict: seats[1].verdict });
  }

  form.onsubmit = (event) => {
    event.preventDefault();
    throwNumber(input.value, input);
  };
  place.replaceChildren(...rulesOf(rules, all), score, ...table.events, form, figure, list);
  show();
  table.tell(say("Choose a number. {name} chooses one at the same time, without seeing yours.", table));
}

function rulesOf(rules, all) {
  const worth = (number) => Math.floor(Math.log2(number));
  const few = Math.min(100, rules.b);
  const values = { ...rules, most: worth(rules.b), few, less: worth(few) };
  return [
    made("p", { className: "rule", textContent: say("Both choose a number at the same time. The higher one wins, unless it is more than twice the lower one: then the lower one wins.") }),
    made("p", { textContent: say("The higher the number that wins, the more it brings: {few} brings {less} points, {b} brings {most}. No number may be lower than your last one, but after {k} throws you may begin low again.", values) }),
    made("p", { className: "measure", textContent: all < rules.L ? say("Whoever has more points after {all} throws wins. The contest's own games are longer: they have {L} throws.", { ...rules, all })
      : say("Whoever has more points after {all} throws wins. The contest's own games are as long.", { all }) }),
  ];
}

const rowOf = (tag, texts) => made("tr", {}, ...texts.map((text) => made(tag, { textContent: text })));

/** The numbers of both, throw by throw; a high one is worth little more than one half as high, so heights are logarithms. */
function pictureOf(throws, { a, b }, all, name) {
  const span = Math.log2(b / a) || 1;
  const x = (at) => LEFT + ((WIDTH - LEFT - TOP) * at) / Math.max(1, all - 1);
  const y = (number) => HEIGHT - TOP - ((HEIGHT - 2 * TOP) * Math.log2(number / a)) / span;
  const ticks = [a, ...[4, 8, 12, 16, 20, 24, 28].map((power) => 2 ** power).filter((number) => number > 2 * a && number < b / 4), b];
  const lines = [...new Set(ticks)].flatMap((number) => [
    drawn("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y(number), y2: y(number) }),
    drawn("text", { class: "tick", x: LEFT - 6, y: y(number) + 5, "text-anchor": "end" }, `${number}`),
  ]);
  const winners = throws[0].map((own, at) => winnerOf(own, throws[1][at]));
  const players = throws.flatMap((own, seat) => [
    drawn("polyline", { class: `m${seat}`, points: own.map((number, at) => `${x(at)},${y(number)}`).join(" ") }),
    ...own.map((number, at) => drawn("circle", { class: `dot k${seat}`, cx: x(at), cy: y(number), r: winners[at] === seat ? LARGE : SMALL })),
  ]);
  const told = say("The numbers of both, throw by throw. Large dots have won.");
  const key = (seat, text) => made("span", {}, made("i", { className: `k${seat}` }), ` ${text}`);
  return [
    drawn("svg", { class: "wide", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": told }, ...lines, ...players),
    made("figcaption", { className: "legend" }, key(0, say("you")), " ", key(1, name), ` ${told}`),
  ];
}
