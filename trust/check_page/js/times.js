// times.js - the steps between the last program and the first game, as trust/for_teams/receipts.py tells of them.
import { attempt } from "./bytes.js";
import { say } from "./words.js";

const MICROSECONDS = 1_000_000;
const SOON_SECONDS = 900;
export const DAY_SECONDS = 86_400;

/** A time as the ledger writes it, with microseconds. */
export const full = (at) => at.replace(/(?:\.(\d+))?Z$/, (_, fraction = "") => `.${fraction.padEnd(6, "0")}Z`);
export const time = (at) => `${at.slice(0, 16).replace("T", " ")} UT`;
/** Whether this is a time as an archive writes it, of a day that the calendar has. */
export const isTime = (text) =>
  /^\d{4}(?:-\d\d){2}T(?:\d\d:){2}\d\d(?:\.(?!0{6})\d{6})?Z$/.test(text) && attempt(() => new Date(text).toISOString().slice(0, 19)) === text.slice(0, 19);
export const seconds = (at) => Date.parse(`${at.slice(0, 19)}Z`) / 1_000 + Number(full(at).slice(20, 26)) / MICROSECONDS;

/** The steps that were missing, too early, or squeezed: the code of each, and a sentence. `own`: the entries of this
 * tournament. */
export function aboutTimes(dates, startedAt, own) {
  const before = own.slice(0, own.findIndex(({ effect, at }) => effect === "final list of entries" && at === full(startedAt)));
  const at = {
    closes: dates.compilation_closes, starts: dates.contest_starts, started: startedAt,
    closed: before.findLast(({ effect }) => effect === "programs are no longer taken")?.at,
    listed: before.find(({ effect }) => effect === "list of entries")?.at,
  };
  const each = (convert) => Object.fromEntries(Object.entries(at).map(([name, moment]) => [name, moment && convert(moment)]));
  const [steps, values] = [each(seconds), each(time)];
  const found = [];
  const tell = (code, sentence) => found.push([code, sentence]);
  aboutStart(steps, values, tell);
  aboutClose(steps, values, tell);
  aboutFirstList(steps, values, tell);
  return found;
}

// Each takes the steps in seconds, and in words; `tell` takes a code and its sentence.
function aboutStart({ started, starts, closes, listed }, values, tell) {
  if (started > starts + DAY_SECONDS) tell("started-late", say("the contest started at {started}, long after its announced start at {starts}", values));
  if (started >= starts) return;
  const early = started < closes
    ? say("the contest started at {started}, before its announced start at {starts}, and until {closes} programs were to be taken", values)
    : say("the contest started at {started}, before its announced start at {starts}", values);
  tell("started-early", listed ? early : say("{early}; nobody could object to a list of entries", { early }));
}

function aboutClose({ started, closes, closed }, values, tell) {
  if (!closed && started >= closes) {
    tell("close-missing", say("programs were no longer taken from {closes} on, but the ledger says so nowhere; until then a letter could be dated back", values));
  } else if (closed < closes) {
    tell("close-early", say("programs were no longer taken from {closed} on, but were to be taken until {closes}", values));
  } else if (closed > closes + SOON_SECONDS) {
    tell("close-late", say("programs were no longer taken from {closes} on, but the ledger says so only at {closed}; until then a letter could be dated back", values));
  }
}

function aboutFirstList({ started, starts, closes, listed }, values, tell) {
  if (starts - closes < SOON_SECONDS) {
    tell("objections-short", say("programs were taken until {closes}, and the contest was to start at {starts}: that left hardly anybody time to object to the list of entries", values));
  } else if (!listed && started >= starts) {
    tell("list-missing", say("the teams got no list of entries before the final one, so nobody could object to it"));
  } else if (listed < closes) {
    tell("list-early", say("the first list went out at {listed}, when programs were still taken (until {closes})", values));
  } else if (started - listed < (starts - closes) / 2 || listed > closes + DAY_SECONDS) {
    tell("list-late", say("the first list went out at {listed}, long after {closes}, when programs were no longer taken; the contest started at {started}, and the announced time for objections ended at {starts}", values));
  }
}
