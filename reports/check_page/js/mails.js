// mails.js - whether mails of the contest, or receipts out of them, fit the archive's ledger.
import { attempt, base64, hex, unbase64 } from "./bytes.js";
import { isSigned } from "./ledger.js";
import { say } from "./words.js";

// As contest/ledger/receipts.py and knobellib/receipts.py read them.
const HASH = "([A-Za-z0-9+/]{43}=)";
const IN_TEXT = new RegExp(`entry ([0-9]{1,9}) of a ledger of [0-9]{1,9}\\.\\s+root\\s+${HASH}\\s+signature\\s+([A-Za-z0-9+/]{44})\\s+([A-Za-z0-9+/]{42}==)`, "g");
const IN_HEADER = new RegExp(`X-Knobeln-Receipt:\\s+([0-9]{1,9})\\s+${HASH}\\s+([A-Za-z0-9+/]{86}==)`, "g");
const KEY = /\(Ed25519,\s+base64\):\s+([A-Za-z0-9+/]{43}=)/g;
const COMMITMENT = /sha256,[^:]*:\s+([0-9a-f]{64})\b/g;
const LIST_ROOT = /The root of this list, in hex:\s+([0-9a-f]{64})/g;
const BASE64_PART = /Content-Transfer-Encoding:\s*base64\b[^]*?\r?\n\r?\n((?:[A-Za-z0-9+/=]+\r?\n)+)/gi;
const MAX_MAIL_CHARS = 5_000_000;

/** All texts in a mail: as it is, and as its encodings are meant; forwarded mails are in these. Without quotation marks. */
function textsOf(mail) {
  const source = mail.slice(0, MAX_MAIL_CHARS);
  const quotable = source.replace(/=\r?\n/g, "").replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(parseInt(code, 16)));
  const packed = [...source.matchAll(BASE64_PART)].map(([, part]) => attempt(() => atob(part.replace(/\s/g, "")), ""));
  return [...new Set([source, quotable, ...packed])].map((text) => text.replace(/^[ \t>|]+/gm, ""));
}

/** What one mail says about the ledger: sentences, each with whether it fits. `ledger`: as `check` returns it. */
export function checkMail(mail, ledger) {
  const texts = textsOf(mail);
  const all = (pattern) => texts.flatMap((text) => [...text.matchAll(pattern)].map(([, ...parts]) => parts));
  const once = (lists) => [...new Map(lists.map((list) => [list.join(), list])).values()];
  const receipts = once([...all(IN_HEADER), ...all(IN_TEXT)].map(([number, root, ...signature]) => [Number(number), root, signature.join("")]));
  const told = [], tell = (fits, sentence) => told.push({ fits, sentence });
  const tellOf = (pattern, isOurs, right, wrong) => once(all(pattern)).forEach(([value]) => tell(isOurs(value), (isOurs(value) ? right : wrong)(value)));
  tellOf(KEY, (key) => key === base64(ledger.key), () => say("the key is the one in this mail"), (key) => say("this mail names another key: {key}", { key }));
  tellOf(COMMITMENT, (digest) => digest === ledger.commitment,
    () => say("the sha256 of the secret number is the one in this mail"), (digest) => say("this mail names another sha256 of the secret number: {digest}", { digest }));
  tellOf(LIST_ROOT, (root) => ledger.entries.some((entry) => entry.digest === root),
    () => say("the list of entries in this mail is in the ledger"), (root) => say("the list of entries in this mail is not in the ledger: {root}", { root }));
  for (const receipt of receipts) {
    const wrong = whatIsWrong(receipt, ledger);
    const { effect, team, at } = ledger.entries[receipt[0] - 1] ?? {};
    tell(!wrong, wrong || say("the receipt of entry {number} fits: {effect}, {team}, {at}", { number: receipt[0], effect, team: team || "-", at }));
  }
  return told;
}

function whatIsWrong([number, root, signature], ledger) {
  const bytes = unbase64(root, "root");
  const isOurs = isSigned(ledger.key, ledger.commitment, number, bytes, unbase64(signature, "signature"));
  if (!isOurs) return say("the receipt of entry {number} is not signed with the contest's key", { number });
  if (number < 1 || number > ledger.entries.length) return say("entry {number}, of which this is the receipt, is missing", { number });
  const isSame = hex(ledger.roots[number]) === hex(bytes);
  return isSame ? "" : say("the ledger was changed: up to entry {number} it is another one than when this mail was written", { number });
}
