// page.js - the page itself: takes an archive and mails, hands them to the worker, and shows what it says.
import { answerWhatIf, offerWhatIf } from "./what_if_page.js";
import { say, speak } from "./words.js";

const BESIDE = "archive.tar.gz";
const LISTS = ["noticed", "without", "believed", "agreed", "unchecked"];
const element = (id) => document.getElementById(id);
const dataOf = (id) => JSON.parse(element(id).textContent);
const isServed = location.protocol.startsWith("http");
const asked = new URLSearchParams(location.hash.slice(1));
const game = asked.get("game") ?? "";
const opponent = asked.get("play"); // null unless a link leads to a game against it
const language = navigator.language.slice(0, 2);
const words = dataOf("words")[language] ?? {};

let newest = null; // what was begun last, unless it was stopped
let worker = null;
let mails = []; // that wait until an archive has been checked
let hasLedger = false; // whether the worker has one
let takeContest = null; // takes the contest from the worker, for what would be if something had been otherwise
let isBeside = false; // whether the archive came from beside the page, where the replays are
let given = null; // the archive's file that was given last
let isPlayWaiting = false; // whether the next file that is chosen is to play with
let programs = null; // whom the reader plays against

// --- words ---
speak(words);
if (dataOf("words")[language]) document.documentElement.lang = language;
for (const part of document.querySelectorAll("[data-say]")) part.textContent = say(part.textContent.trim());
element("start").textContent = isServed ? say("Check the contest") : say("Choose the archive's file");
keep(null);

// --- the script that computes ---
const bytesOf = (base64) => Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));

/** A script of the page, unpacked. */
function unpacked(id) {
  const packed = new Blob([bytesOf(element(id).textContent)]);
  return new Response(packed.stream().pipeThrough(new DecompressionStream("deflate")));
}

/** The address of the script that computes. */
async function addressOfScript() {
  return URL.createObjectURL(new Blob([await unpacked("worker").arrayBuffer()], { type: "text/javascript" }));
}

const script = addressOfScript();
script.then((address) => (element("source").href = address), () => element("source").remove());

// --- checking ---
async function begin(file, beside = false) {
  isBeside = beside;
  keep(file);
  stop();
  const begun = (newest = { file });
  for (const id of [...LISTS, "told"]) element(id).replaceChildren();
  element("result").hidden = true;
  busy(say("Reading the archive."));
  const address = await script.catch((error) => heard({ error: error.message }));
  if (!address || begun !== newest) return;
  worker = new Worker(address);
  worker.onmessage = ({ data }) => heard(data);
  worker.onerror = (event) => heard({ error: event.message });
  worker.postMessage({ file, game, words, machine: bytesOf(dataOf("machine")) });
}

function stop() {
  newest = null;
  worker?.terminate();
  worker = null;
  hasLedger = false;
  offerWhatIf([]);
}

/** A worker of its own, which can be stopped, and what it needs to play the contest otherwise. */
async function otherWorker() {
  worker.postMessage({ wantsContest: true, words });
  const contest = await new Promise((resolve) => (takeContest = resolve));
  return [new Worker(await script), { contest, words, machine: bytesOf(dataOf("machine")) }];
}

function busy(sentence) {
  element("start").hidden = true;
  element("working").hidden = false;
  element("progress").removeAttribute("value");
  element("stage").textContent = sentence;
}

function heard({ progress, found, contest, mail, name, error }) {
  if (progress) {
    Object.assign(element("progress"), { max: progress.all, value: progress.done });
    element("stage").textContent = say("{what}: {done} of {all}", progress);
  } else if (found) showFound(found);
  else if (contest) takeContest(contest);
  else if (mail !== undefined) showMail(name, mail);
  else showVerdict("unknown", say("This could not be checked: {reason}", { reason: error }));
}

/** The archive's file beside the page; null without one. */
async function fetched() {
  const answer = await fetch(BESIDE).catch(() => null);
  return answer?.ok ? answer.blob() : null;
}

async function fromBeside() {
  busy(say("Fetching the archive."));
  const file = await fetched();
  if (file) begin(file, true);
  else showVerdict("unknown", say("There is no archive beside this page. Choose its file."));
}

// --- playing ---
/** The next game is with this archive; with null, with the one beside the page, or one that is chosen. */
function keep(file) {
  given = file;
  element("challenge").textContent = file || isServed ? say("Play") : say("Choose the archive's file, and play");
}

/** Lets the reader play against the programs of the archive that is there, or of the one that is chosen next. */
async function challenge() {
  const file = given ?? (isServed ? await fetched() : null);
  if (file) {
    playWith(file);
    return;
  }
  choose("file", true);
}

async function playWith(file) {
  keep(file);
  element("arena").textContent = say("Reading the archive.");
  if (!globalThis.openArena) {
    const part = document.createElement("script");
    part.textContent = await unpacked("packed-arena").text();
    document.head.append(part);
  }
  programs?.close();
  programs = await openArena(element("arena"), { address: await script, file, words, machine: bytesOf(dataOf("machine")) }, opponent);
  if (!programs) keep(null);
}

// --- showing ---
function showVerdict(kind, sentence) {
  element("start").hidden = false;
  element("working").hidden = true;
  element("result").hidden = false;
  element("verdict").textContent = sentence;
  element("verdict").className = kind;
  for (const list of LISTS) element(list).parentElement.hidden = !element(list).children.length;
  element("verdict").focus();
}

function fill(list, sentences) {
  element(list).replaceChildren(...sentences.map((sentence) => Object.assign(document.createElement("li"), { textContent: sentence })));
}

function showFound(found) {
  fill("agreed", found.checked);
  for (const list of ["noticed", "believed"]) fill(list, found[list].map((each) => each.sentence));
  for (const list of ["without", "unchecked"]) fill(list, found[list]);
  element("title").textContent = found.title;
  element("digest").textContent = found.digest;
  element("of-digest").hidden = !found.digest;
  element("replay").hidden = !(isBeside && found.game);
  element("replay").href = `replay.html?game=${encodeURIComponent(found.game)}`;
  element("played").textContent = found.played;
  showVerdict(found.verdict.kind, found.verdict.sentence);
  element("scope").textContent = found.verdict.scope;
  offerWhatIf(found.teams, found.isComputed);
  hasLedger = found.hasLedger;
  if (!hasLedger) return;
  element("told").replaceChildren();
  for (const each of mails.splice(0)) worker.postMessage({ ...each, words });
}

function showMail(name, told) {
  const list = document.createElement("ul");
  for (const { fits, sentence } of told ?? []) {
    list.append(Object.assign(document.createElement("li"), { textContent: sentence, className: fits ? "fits" : "wrong" }));
  }
  const isRight = told?.every((each) => each.fits);
  const head = !told?.length ? say("{name}: there is no receipt in it.", { name })
    : isRight ? say("{name}: it fits.", { name }) : say("{name}: it does not fit.", { name });
  element("told").append(Object.assign(document.createElement("p"), { textContent: head, className: isRight ? "" : "wrong" }), list);
}

// --- what the reader gives ---
/** Opens a dialog for files. `isToPlay`: the archive is to play with. */
function choose(id, isToPlay = false) {
  isPlayWaiting = isToPlay;
  element(id).click();
}

async function take(files) {
  const archive = files.find((file) => /\.(tar|tgz|tar\.gz)$/i.test(file.name));
  if (archive) begin(archive);
  for (const file of files.filter((each) => each !== archive)) {
    const mail = { name: file.name, mail: await file.text() };
    if (hasLedger) worker.postMessage({ ...mail, words });
    else mails.push(mail);
  }
  if (mails.length) element("told").textContent = say("Mails are checked as soon as an archive is.");
}

answerWhatIf(otherWorker);
element("start").addEventListener("click", () => (isServed ? fromBeside() : choose("file")));
element("challenge").addEventListener("click", challenge);
element("cancel").addEventListener("click", () => {
  stop();
  showVerdict("unknown", say("Cancelled."));
});
for (const id of ["file", "letters"]) {
  element(id).addEventListener("change", ({ target }) => {
    if (isPlayWaiting && id === "file") playWith(target.files[0]);
    else if (id === "file") begin(target.files[0]);
    else take([...target.files]);
    isPlayWaiting = false;
    target.value = "";
  });
}
for (const button of document.querySelectorAll("[data-opens]")) button.addEventListener("click", () => choose(button.dataset.opens));
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  take([...event.dataTransfer.files]);
});
if (opponent !== null) {
  element("play").scrollIntoView();
  if (isServed) challenge();
}
