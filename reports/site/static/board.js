// The board for a projector: while the contest runs it turns between its scenes; after it, it plays the day as a film.
"use strict";
(() => {
  const FILM_SECONDS = 180;
  const TURN_SECONDS = 12;
  const TICK = 100; // milliseconds
  const REVEALED = 0.7; // of a scene's time, in which its lines come
  const SPEEDS = [0.5, 1, 2, 4];
  const projector = document.querySelector(".projector");
  const isFilm = "film" in projector.dataset;
  const standing = projector.querySelector(".standing");
  const sections = Array.from(projector.querySelectorAll(".scene"));
  const weights = sections.reduce((sum, section) => sum + Number(section.dataset.weight), 0);
  const scenes = sections.map((section) => ({
    section,
    lines: "reveals" in section.dataset ? Array.from(section.querySelectorAll("li")).reverse() : [],
    seconds: isFilm ? (FILM_SECONDS * Number(section.dataset.weight)) / weights : TURN_SECONDS,
  }));
  // While the contest runs, how all stand is a scene, too.
  if (!isFilm) scenes.unshift({ section: standing, lines: [], seconds: TURN_SECONDS });

  let at = -1; // the scene that is shown; -1: how all stand
  let elapsed = 0; // seconds of this scene
  let isPlaying = false;
  let speed = 1;

  // --- what is shown ---
  function show() {
    standing.hidden = at >= 0 && scenes[at].section !== standing;
    for (const { section } of scenes) if (section !== standing) section.hidden = true;
    if (at < 0) return;
    const { section, lines, seconds } = scenes[at];
    section.hidden = false;
    const share = Math.min(1, elapsed / (REVEALED * seconds));
    const shown = Math.ceil(share * lines.length);
    lines.forEach((line, number) => line.classList.toggle("to-come", number >= shown));
  }

  function go(to) {
    const last = scenes.length - 1;
    at = isFilm ? Math.max(-1, Math.min(to, last)) : (to + scenes.length) % scenes.length;
    elapsed = 0;
    show();
    tell();
  }

  function step() {
    if (!isPlaying || document.hidden) return;
    elapsed += (speed * TICK) / 1000;
    if (elapsed < scenes[at].seconds) show();
    else if (isFilm && at === scenes.length - 1) play(false);
    else go(at + 1);
    bar.value = done();
  }

  function hasEnded() {
    return isFilm && at === scenes.length - 1 && elapsed >= scenes[at].seconds;
  }

  function done() {
    return at < 0 ? 0 : scenes.slice(0, at).reduce((sum, scene) => sum + scene.seconds, 0) + elapsed;
  }

  // --- what the reader does ---
  const controls = document.createElement("p");
  controls.className = "controls";
  function button(text, act) {
    const made = Object.assign(document.createElement("button"), { type: "button", textContent: text });
    made.addEventListener("click", act);
    controls.append(made, " ");
    return made;
  }
  const before = button(say("Back"), () => go(at - 1));
  const toggle = button("", () => play(!isPlaying));
  const next = button(say("Next"), () => go(at + 1));
  const faster = button("", () => {
    speed = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length];
    tell();
  });
  const end = isFilm ? button(say("To the ranking"), () => { play(false); go(-1); }) : null;
  const bar = Object.assign(document.createElement("progress"), { max: scenes.reduce((sum, scene) => sum + scene.seconds, 0), value: 0 });
  bar.setAttribute("aria-label", say("How far the film is"));
  if (isFilm) controls.append(bar);
  projector.querySelector(".head").append(controls);

  function play(now) {
    isPlaying = now;
    if (now && (at < 0 || hasEnded())) go(0);
    tell();
  }

  function tell() {
    const isFilmOff = at < 0; // how all stand is shown
    if (isPlaying) toggle.textContent = say("Pause");
    else toggle.textContent = isFilmOff ? say("Play the day as a film") : say("Go on");
    for (const control of [before, next, faster, end, bar]) if (control) control.hidden = isFilmOff;
    faster.textContent = say("Speed {times}", { times: `${speed}` });
    bar.value = done();
  }

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("button, a")) return;
    if (event.key === "ArrowRight") go(at + 1);
    else if (event.key === "ArrowLeft") go(at - 1);
    else if (event.key === " ") play(!isPlaying);
    else return;
    event.preventDefault();
  });

  setInterval(step, TICK);
  if (isFilm) {
    if (location.hash === "#film") play(true);
    else go(-1);
  } else {
    go(0);
    play(true);
  }
})();
