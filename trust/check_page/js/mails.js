// mails.js - whether mails of the contest, or proofs out of them, fit the archive's ledger.
import { attempt, base64, hex, unbase64, utf8 } from "./bytes.js";
import { isSigned } from "./ledger.js";
import { time } from "./times.js";
import { say } from "./words.js";

// As contest/ledger/receipts.py writes them: a proof with its one signature, the line about it, and the key.
const PROOF = /^extra ([A-Za-z0-9+/]+=*)\nindex \d+\n(?:[A-Za-z0-9+/=]{44}\n)*\nknobeln\/([0-9a-f]{64})\n([1-9]\d{0,8})\n([A-Za-z0-9+/]{43}=)\n\n\S+ \S+ ([A-Za-z0-9+/]{91}=)$/gm;
const TOLD = /(\d{1,9})\. [^\s:]+: receipt\.tlog-proof/g;
const KEY = /knobeln\/([0-9a-f]{64})\+[0-9a-f]{8}\+([A-Za-z0-9+/]{44})/g;
const IN_BASE64 = /Content-Transfer-Encoding:\s*base64\b/gi;
const BASE64_LINES = /\n\n((?:[A-Za-z0-9+/=]+\n)+)/g;
const SUBJECT = /^Subject:(.*(?:\n[ \t].*)*)/im;
const ENCODED_WORD = /=\?([\w-]+)\?([BQ])\?([^?]*)\?=(?:\s+(?==\?))?/gi; // RFC 2047
const MAX_HEAD_CHARS = 65_536;
const MAX_MAIL_CHARS = 5_000_000;
const MAX_PROOFS = 1_000;

const signOf = (_, code) => String.fromCharCode(parseInt(code, 16)); // of `=E4`

/** The mail's subject as its reader sees it; "" without one. */
export function subjectOf(mail) {
  const [head] = mail.slice(0, MAX_HEAD_CHARS).replace(/\r\n/g, "\n").split("\n\n", 1);
  const [, subject] = SUBJECT.exec(head) ?? ["", ""];
  return subject.replace(/\n/g, "").replace(ENCODED_WORD, decoded).trim();
}

function decoded(word, charset, encoding, text) {
  const binary = encoding.toLowerCase() === "b"
    ? attempt(() => atob(text))
    : text.replace(/_/g, " ").replace(/=([0-9A-F]{2})/gi, signOf);
  const bytes = Uint8Array.from(binary ?? "", (sign) => sign.charCodeAt(0));
  return attempt(() => new TextDecoder(charset).decode(bytes)) || word;
}

/** The parts in base64: behind each header field that says so, the first lines of base64 below an empty line. */
function packedIn(source) {
  const parts = [];
  IN_BASE64.lastIndex = 0;
  while (IN_BASE64.test(source)) {
    BASE64_LINES.lastIndex = IN_BASE64.lastIndex;
    const lines = BASE64_LINES.exec(source);
    if (!lines) break;
    parts.push(attempt(() => atob(lines[1].replace(/\n/g, "")), ""));
    IN_BASE64.lastIndex = BASE64_LINES.lastIndex;
  }
  return parts;
}

/** All texts in a mail: as it is, and as its encodings are meant; forwarded mails are in these. Without quotation marks. */
function textsOf(mail) {
  const source = mail.slice(0, MAX_MAIL_CHARS).replace(/\r\n/g, "\n").replace(/^[ \t>|]+/gm, "");
  const quotable = source.replace(/=\n/g, "").replace(/=([0-9A-F]{2})/g, signOf);
  return [...new Set([source, quotable, ...packedIn(source).flatMap(textsOf)])];
}

/** What one mail says about the ledger: sentences, each with whether it fits. `ledger`: as `check` returns it. */
export function checkMail(mail, ledger) {
  const texts = textsOf(mail);
  const once = (pattern, of = texts) => new Map(of.flatMap((text) => [...text.matchAll(pattern)].map((found) => [found[0], found.slice(1)]))).values();
  const told = [], tell = (fits, sentence) => told.push({ fits, sentence });
  for (const [name, key] of once(KEY, texts.map((text) => text.replace(/[\s>|]+/g, "")))) {
    const isOurs = name === ledger.commitment && hex(unbase64(key, "key").slice(1)) === hex(ledger.key);
    tell(isOurs, isOurs ? say("the key is the one in this mail") : say("this mail names another key: {key}", { key: `${name} ${key}` }));
  }
  const proofs = [...once(PROOF)];
  if (proofs.length > MAX_PROOFS) {
    tell(false, say("this mail has more than {most} receipts; a mail of a contest has one", { most: MAX_PROOFS }));
    return told;
  }
  const proved = new Set(proofs.map((proof) => proof[2]));
  for (const [number] of once(TOLD)) {
    if (!proved.has(number)) tell(false, say("the proof of entry {number} is not in this mail", { number }));
  }
  for (const proof of proofs) {
    const wrong = whatIsWrong(proof, texts, ledger);
    if (wrong) tell(false, wrong);
    else tell(true, say("the receipt of entry {number} fits: {what}", { number: proof[2], what: entryOf(ledger.entries[proof[2] - 1]) }));
  }
  return told;
}

const entryOf = ({ effect, team, at }) => [effect, team, time(at)].filter(Boolean).join(", ");

function whatIsWrong([entry, contest, number, top, signature], texts, ledger) {
  const root = unbase64(top, "root");
  const isOurs = contest === ledger.commitment && isSigned(ledger.key, contest, Number(number), root, unbase64(signature, "signature").slice(4));
  if (!isOurs) return say("the receipt of entry {number} is not signed with the contest's key", { number });
  if (Number(number) > ledger.entries.length) return say("entry {number}, of which this is the receipt, is missing", { number });
  const { effect, digest, leaf } = ledger.entries[number - 1];
  const isSame = hex(ledger.roots[number]) === hex(root) && base64(utf8(leaf)) === entry;
  if (!isSame) return say("the ledger was changed: up to entry {number} it is another one than when this mail was written", { number });
  const isList = /^X-Knobeln-Report: entries$/m.test(texts[0]) && effect.endsWith("list of entries");
  return isList && !texts.some((text) => text.includes(digest)) ? say("the list of entries in this mail is not in the ledger") : "";
}
