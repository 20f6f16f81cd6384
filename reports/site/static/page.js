// What all pages do for readers who let scripts run: times in the reader's own zone, a countdown, a button that
// copies, and a page that renews itself. Without it everything can be read, in Universal Time.
"use strict";

// The sentence in the page's language, with values for `{names}`. `noted` marks one that is said later.
const say = (() => {
  const words = JSON.parse(document.querySelector('meta[name="words"]')?.content ?? "{}");
  return (sentence, values = {}) => (words[sentence] ?? sentence).replace(/\{(\w+)\}/g, (_, name) => values[name]);
})();
const noted = (sentence) => sentence;

(() => {
  const language = document.documentElement.lang;
  const now = Date.now();
  const all = (selector) => Array.from(document.querySelectorAll(selector));

  function make(name, text, style = "") {
    const made = document.createElement(name);
    made.textContent = text;
    if (style) made.className = style;
    return made;
  }

  // --- menus: one at a time, and none where somebody goes on ---
  addEventListener("click", ({ target }) => {
    for (const menu of all("details.menu[open]")) if (!menu.contains(target)) menu.open = false;
  });

  // --- times ---
  const own = new Intl.DateTimeFormat(language === "en" ? undefined : language, {
    weekday: "short", year: "numeric", month: "short", day: "numeric",
    hour: "2-digit", minute: "2-digit", timeZoneName: "short",
  });
  const zone = own.resolvedOptions().timeZone;
  if (zone !== "UTC" && zone !== "Etc/UTC") {
    for (const time of all("time[datetime]")) {
      time.querySelector(".local")?.remove(); // that of the contest's zone
      time.append(" ", make("span", `(${own.format(new Date(time.dateTime))})`, "local"));
    }
  }

  // --- dates that have passed, and the next one ---
  const rows = all(".dates tbody time").map((time) => {
    const row = time.closest("tr");
    return { row, name: row.cells[0].textContent.trim(), at: Date.parse(time.dateTime) };
  });
  for (const { row, at } of rows) row.classList.toggle("past", at <= now);
  for (const note of all("[data-after]")) note.hidden = Date.parse(note.dataset.after) > now;
  for (const note of all("[data-before]")) note.hidden = Date.parse(note.dataset.before) <= now;

  const units = [
    [[noted("{number} day"), noted("{number} days")], 86_400_000],
    [[noted("{number} hour"), noted("{number} hours")], 3_600_000],
    [[noted("{number} minute"), noted("{number} minutes")], 60_000],
  ];
  function span(milliseconds) {
    const first = units.findIndex(([, size]) => milliseconds >= size);
    if (first < 0) return say("less than a minute");
    let rest = milliseconds;
    return units.slice(first, first + 2).map(([[one, many], size]) => {
      const number = Math.floor(rest / size);
      rest %= size;
      return number ? say(number === 1 ? one : many, { number }) : "";
    }).filter(Boolean).join(" ");
  }

  function count() {
    const next = rows.filter(({ at }) => at > Date.now()).sort((a, b) => a.at - b.at)[0];
    for (const place of all(".countdown")) {
      place.hidden = !next;
      if (next) place.replaceChildren(say("{date} in", { date: next.name }), " ", make("strong", span(next.at - Date.now())));
    }
  }
  if (rows.length) {
    count();
    setInterval(count, 20_000);
  }

  // --- copying ---
  for (const letter of all(".letter")) {
    const text = letter.querySelector("pre");
    const button = make("button", say("Copy the form"));
    const answer = make("span", "");
    button.type = "button";
    answer.setAttribute("role", "status");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text.textContent);
      } catch { // a page that did not come by https may not use the clipboard
        getSelection().selectAllChildren(text);
        document.execCommand("copy");
      }
      answer.textContent = say("Copied.");
    });
    letter.querySelector("p").append(" ", button, " ", answer);
  }

  // --- renewing ---
  const renew = document.querySelector('meta[name="renew"]');
  if (renew) {
    const wait = 1000 * Number(renew.content);
    const isChanged = () => document.querySelector("[aria-sort]") || all(".filter input").some((input) => input.value);
    const isRead = () => scrollY > 200 || !getSelection().isCollapsed
      || document.activeElement !== document.body || isChanged();
    const offer = make("p", say("This page may be out of date."), "renew");
    const link = make("a", say("Renew it"));
    link.href = location.pathname;
    offer.append(" ", link);
    offer.setAttribute("role", "status");
    const look = () => {
      if (document.hidden || Date.now() - now < wait) return;
      if (!isRead()) location.reload();
      else if (!offer.isConnected) document.body.append(offer);
    };
    setInterval(look, 5_000);
    document.addEventListener("visibilitychange", look);
  }
})();
