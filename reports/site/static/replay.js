// Goes through the table of a game's turns: shows one at a time, and where it is in the pictures.
"use strict";
(() => {
  const box = document.getElementById("replay");
  const table = document.getElementById("turns");
  const rows = Array.from(table.tBodies[0].rows);
  const slider = box.querySelector("input[type=range]");
  const speed = box.querySelector("[data-speed]");
  const play = box.querySelector('[data-to="play"]');
  const now = box.querySelector(".now");
  const charts = Array.from(document.querySelectorAll("svg.curves"), (svg) => ({
    step: Number(svg.dataset.step),
    cursor: svg.querySelector(".cursor"),
  }));
  const shown = Array.from(table.tHead.rows[0].cells, (head) => {
    const part = document.createElement("div");
    const name = document.createElement("dt");
    const value = document.createElement("dd");
    name.textContent = head.getAttribute("aria-label") || head.textContent.trim();
    part.append(name, value);
    now.append(part);
    return value;
  });
  let timer = 0;
  let at = 0;

  function show(turn) {
    if (at > 0) rows[at - 1].classList.remove("now");
    at = Math.min(Math.max(turn, 0), rows.length);
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", at === 0 ? "before the beginning" : `${box.dataset.word} ${at}`);
    shown.forEach((value, index) => {
      value.textContent = at === 0 ? "" : rows[at - 1].cells[index].textContent.trim();
    });
    for (const chart of charts) {
      chart.cursor.style.visibility = at === 0 ? "hidden" : "visible";
      chart.cursor.setAttribute("transform", `translate(${at * chart.step} 0)`);
    }
    if (at > 0) rows[at - 1].classList.add("now");
  }

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  }

  function tick() {
    show(at + 1);
    if (at === rows.length) stop();
  }

  function start() {
    if (at === rows.length) show(0);
    play.textContent = "Stop";
    play.setAttribute("aria-pressed", "true");
    timer = setInterval(tick, Number(speed.value));
  }

  const ways = {
    first: () => show(0),
    back: () => show(at - 1),
    on: () => show(at + 1),
    last: () => show(rows.length),
  };
  box.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const wasPlaying = timer !== 0;
    stop();
    if (button === play) {
      if (!wasPlaying) start();
    } else {
      ways[button.dataset.to]();
    }
  });
  slider.addEventListener("input", () => {
    stop();
    show(Number(slider.value));
  });
  speed.addEventListener("change", () => {
    if (timer !== 0) {
      clearInterval(timer);
      timer = setInterval(tick, Number(speed.value));
    }
  });
  box.hidden = false;
  show(0);
})();
