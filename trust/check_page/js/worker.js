// worker.js - the part of the page that computes, so that the page itself stays alive.
import { Archive, unpacked } from "./archive.js";
import { check } from "./check.js";
import { checkMail, subjectOf } from "./mails.js";
import { Opponents } from "./opponents.js";
import { whatIf } from "./what_if.js";
import { speak } from "./words.js";

const QUIET_MILLISECONDS = 50; // between two reports of progress
let [ledger, contest] = [null, null]; // of the archive that was checked last
let opponents = null; // whom the reader plays against
let told = 0; // when there was a report

function progress(what, done, all) {
  if (done < all && performance.now() < told + QUIET_MILLISECONDS) return;
  told = performance.now();
  postMessage({ progress: { what, done, all } });
}

async function checkArchive(asked) {
  const found = check(await unpacked(asked.file), new WebAssembly.Module(asked.machine), asked.game, progress);
  ({ ledger, contest } = found);
  return { ...found, ledger: null, contest: null, hasLedger: Boolean(ledger), teams: [...(contest?.images.keys() ?? [])] };
}

/** Opens an archive to play with, or asks one of its programs. */
async function playAgainst({ file, machine, question }) {
  if (question) return opponents.answer(question);
  const archive = new Archive(await unpacked(file), () => {}); // which must be as its manifest says
  opponents = new Opponents(archive, new WebAssembly.Module(machine));
  return opponents.listed();
}

onmessage = async ({ data }) => {
  try {
    speak(data.words);
    if (data.plays) postMessage({ played: await playAgainst(data) });
    else if (data.mail !== undefined) {
      postMessage({ mail: ledger && checkMail(data.mail, ledger), name: subjectOf(data.mail) || data.name });
    } else if (data.wantsContest) postMessage({ contest });
    else if (data.contest) postMessage({ other: whatIf(data.contest, new WebAssembly.Module(data.machine), data, progress) });
    else postMessage({ found: await checkArchive(data) });
  } catch (error) {
    postMessage({ error: error.message });
  }
};
