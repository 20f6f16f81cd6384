// what_if_page.js - the part of the page that asks what would be if something had been otherwise, and shows it.
import { say } from "./words.js";

const [form, teamsToLeave, rowsOfTeams] = ["#change", "#left-out", "#other-ranks tbody"].map((selector) => document.querySelector(selector));
const byId = (id) => document.getElementById(id);
let player = null; // the worker that plays now
let wanted = null; // what was asked for last, unless it was stopped

/** Offers it for a contest of these teams; hides it if there are none. `isComputed`: whether the page can play any game. */
export function offerWhatIf(teams, isComputed) {
  stopPlaying();
  byId("what-if").hidden = !teams.length;
  byId("other-contest").hidden = true;
  byId("of-number").hidden = !isComputed;
  form.reset();
  teamsToLeave.replaceChildren(new Option(say("nobody"), ""), ...teams.map((name) => new Option(name)));
}

/** Plays what the reader asks for. `begin`: gives a promise of a new worker, and of the order to it without the change. */
export function answerWhatIf(begin) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    stopPlaying();
    const own = (wanted = {});
    showProgress({ what: say("Starting") });
    byId("other-contest").hidden = true;
    const [worker, order] = await begin();
    if (own !== wanted) {
      worker.terminate();
      return;
    }
    player = worker;
    player.onmessage = ({ data }) => (data.progress ? showProgress(data.progress) : showOther(data));
    player.onerror = (event) => showOther({ error: event.message });
    player.postMessage({ ...order, leftOut: teamsToLeave.value, number: byId("number").value.trim() });
  });
  byId("halt").addEventListener("click", () => {
    stopPlaying();
    form.querySelector("button").focus();
  });
}

function stopPlaying() {
  player?.terminate();
  [player, wanted] = [null, null];
  byId("playing").hidden = true;
}

function showProgress({ what, done, all }) {
  byId("playing").hidden = false;
  if (all) Object.assign(byId("part"), { max: all, value: done });
  else byId("part").removeAttribute("value");
  byId("part-name").textContent = all ? say("{what}: {done} of {all}", { what, done, all }) : what;
}

function showOther({ other, error }) {
  stopPlaying();
  byId("other-contest").hidden = false;
  byId("other-title").textContent = other ? say("Not the result: {change}", other) : say("This page cannot tell: {reason}", { reason: error });
  byId("other-sentences").replaceChildren(...(other?.sentences ?? []).map((sentence) => newElement("li", sentence)));
  byId("other-ranks").hidden = !other;
  rowsOfTeams.replaceChildren(...(other?.rows ?? []).map(rowOf));
  byId("other-title").focus();
}

const newElement = (name, textContent, more = {}) => Object.assign(document.createElement(name), { textContent, ...more });

function rowOf({ entry, before, after, moved }) {
  const row = document.createElement("tr");
  const ranks = [before, after].map((rank) => newElement("td", rank ?? "–", { className: "n" }));
  row.append(newElement("th", entry, { scope: "row" }), ...ranks, newElement("td", moved));
  return row;
}
