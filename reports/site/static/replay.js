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
  const board = document.querySelector(".board");
  const turns = board ? JSON.parse(board.dataset.turns) : [];
  const caption = board?.querySelector(".caption");
  const squares = board ? Array.from(board.querySelectorAll("svg g")) : [];
  const shown = Array.from(table.tHead.rows[0].cells, (head) => {
    const part = document.createElement("div");
    const name = document.createElement("dt");
    const value = document.createElement("dd");
    name.textContent = head.getAttribute("aria-label") || head.textContent.trim();
    part.append(name, value);
    now.append(part);
    return value;
  });
  const least = board ? 0 : Math.min(1, rows.length); // a board is there before the first turn, numbers are not
  let timer = 0;
  let at = 0;

  // A turn tells what it changed: the position after it is what all before it have left behind.
  function draw(turn) {
    const last = new Map();
    for (const [, changed] of turns.slice(0, turn + 1)) {
      for (const [number, ...looks] of changed) last.set(number, looks);
    }
    for (const [number, [text, small, style]] of last) {
      const [sign, note] = squares[number].querySelectorAll("text");
      sign.textContent = text;
      note.textContent = small;
      squares[number].setAttribute("class", style);
    }
    caption.textContent = turns[turn][0];
  }

  function show(turn) {
    if (at > 0) rows[at - 1].classList.remove("now");
    at = Math.min(Math.max(turn, least), rows.length);
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", at === 0 ? "before the beginning" : `${box.dataset.word} ${at}`);
    shown.forEach((value, index) => {
      const before = index === 0 ? "0" : "-";
      value.textContent = at === 0 ? before : rows[at - 1].cells[index].textContent.trim();
    });
    for (const chart of charts) {
      chart.cursor.style.visibility = at === 0 ? "hidden" : "visible";
      chart.cursor.setAttribute("transform", `translate(${at * chart.step} 0)`);
    }
    if (board) draw(at);
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
    if (at === rows.length) show(least);
    play.textContent = "Stop";
    play.setAttribute("aria-pressed", "true");
    timer = setInterval(tick, Number(speed.value));
  }

  const ways = {
    first: () => show(least),
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
  slider.min = String(least);
  box.hidden = false;
  show(board ? rows.length : least); // a board begins as the game ended: so it stands on paper, too
})();
