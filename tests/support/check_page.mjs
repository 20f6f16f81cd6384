// Runs the check page's modules over archives: a line of JSON for each in, a line with what was found out.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { runInThisContext } from "node:vm";

const page = `${dirname(fileURLToPath(import.meta.url))}/../../trust/check_page`;
runInThisContext(readFileSync(`${page}/noble.js`, "utf8"));
runInThisContext(readFileSync(process.argv[2], "utf8"));
const { unpacked } = await import(`${page}/js/archive.js`);
const { check } = await import(`${page}/js/check.js`);
const { whatIf } = await import(`${page}/js/what_if.js`);
const { checkMail } = await import(`${page}/js/mails.js`);
const machine = new WebAssembly.Module(readFileSync(`${page}/knobeln.wasm`));

/** What would be, or why the page cannot tell. The contest is copied, as from one part of the page to another. */
function otherContest(contest, change) {
  try {
    return whatIf(structuredClone(contest), machine, change, () => {});
  } catch (error) {
    if (error.constructor.name !== "Unreadable") throw error;
    return { error: error.message };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { archive, game, mails, chain, changes } = JSON.parse(line);
  let found;
  try {
    found = check(await unpacked(new Blob([readFileSync(archive)])), machine, game, () => {}, chain ?? undefined);
    found.mails = mails.map((mail) => found.ledger && checkMail(mail, found.ledger));
    found.error = "";
    found.others = changes.map((change) => otherContest(found.contest, change));
    delete found.ledger;
    delete found.contest;
  } catch (error) {
    found = { error: error.constructor.name === "Unreadable" || error.constructor.name === "Differs" ? error.message : `BROKEN ${error.stack}` };
  }
  console.log(JSON.stringify(found));
}
