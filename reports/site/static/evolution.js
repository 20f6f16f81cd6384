// The picture of the evolution: marks what is pointed at or ticked, shows any generation, and draws lines too.
"use strict";
(() => {
  const page = document.getElementById("evolution");
  const svg = page.querySelector("svg");
  const group = svg.querySelector(".bands");
  const list = page.querySelector("ol");
  const slider = page.querySelector("input[type=range]");
  const told = page.querySelector("output");
  const toggle = page.querySelector("[data-lines]");
  const scale = Array.from(svg.querySelectorAll(".tick[text-anchor=end]"));
  const numbers = (text) => (text ? text.split(" ").map(Number) : []);
  const generations = numbers(page.dataset.generations);
  const totals = numbers(page.dataset.totals);
  const last = generations.length - 1;
  const wide = 1000 / Math.max(1, generations[last]); // of a generation
  const high = Number(scale[0].getAttribute("y")) - 5 || Number(scale.at(-1).getAttribute("y")) - 5;
  const svgElement = (name, attributes) => {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const inWords = (value, least = 0) => value.toLocaleString(document.documentElement.lang, { minimumFractionDigits: least, maximumFractionDigits: 1 });
  const percent = (share) => `${inWords(100 * share, 1)} %`;

  const bands = Array.from(list.children, (item, number) => {
    const path = group.children[number];
    const name = item.firstElementChild.textContent;
    const counts = numbers(item.dataset.counts);
    const box = Object.assign(document.createElement("input"), { type: "checkbox" });
    box.setAttribute("aria-label", say("mark {name} in the picture", { name }));
    item.prepend(box);
    path.querySelector("title").remove(); // our own says the generation, too
    return {
      number, item, path, name, counts, box,
      area: path.getAttribute("d"),
      text: item.querySelector(".share"),
      share: (at) => (totals[at] ? (counts[at] || 0) / totals[at] : 0),
      leads: getComputedStyle(path).getPropertyValue("--team") !== "",
      isAll: !item.dataset.team, // the small ones together
    };
  });
  const most = Math.max(...bands.filter((b) => !b.isAll).flatMap((b) => b.counts.map((_, at) => b.share(at))));
  const top = [0.04, 0.1, 0.2, 0.4, 0.6, 0.8].find((limit) => limit >= most) || 1; // of the scale for lines
  const cursor = svg.appendChild(svgElement("path", { class: "cursor", d: `M0 0V${high}` }));
  const tip = page.appendChild(Object.assign(document.createElement("div"), { className: "tip", hidden: true }));
  const areLines = () => toggle.getAttribute("aria-pressed") === "true";

  // --- the picture
  function line(band) {
    const end = Math.min(last, band.counts.length); // one more than there are: down to nothing
    const points = generations.slice(0, end + 1);
    return `M${points.map((x, at) => `${x} ${Math.round(10 * high * (1 - band.share(at) / top))}`).join("L")}`;
  }

  // Half of what the name takes of the width: letters are larger in a narrow window.
  const halfOf = (name) => name.length * (matchMedia("(max-width: 40rem)").matches ? 7.3 : 4.3);

  // Where the band is largest: the middle of its name in the picture.
  function place(band) {
    let best = 0;
    for (let at = 0; at <= last; at++) if (band.share(at) > band.share(best)) best = at;
    const half = halfOf(band.name);
    const x = Math.min(Math.max(generations[best] * wide, half), 1000 - half);
    if (areLines()) return [x, Math.max(12, high * (1 - band.share(best) / top) - 6)];
    let above = 0;
    for (const other of bands.slice(0, band.number)) above += other.share(best);
    return [x, high * (above + band.share(best) / 2) + 5];
  }

  function drawNames() {
    for (const old of svg.querySelectorAll(".drawn")) old.remove();
    const taken = areLines() ? [] : Array.from(svg.querySelectorAll("text.band"), (text) => text.textContent);
    const free = [];
    for (const band of bands) {
      if (!(band.box.checked || (areLines() && band.leads)) || taken.includes(band.name)) continue;
      const [x, wanted] = place(band);
      let y = wanted;
      const isHit = (p) => Math.abs(p[0] - x) < p[2] + halfOf(band.name) && Math.abs(p[1] - y) < 15;
      while (free.some(isHit) && y > 24) y -= 15;
      free.push([x, y, halfOf(band.name)]);
      const text = svgElement("text", { class: "band drawn", x, y, "text-anchor": "middle" });
      text.textContent = band.name;
      svg.insertBefore(text, cursor);
    }
  }

  function draw() {
    svg.classList.toggle("lines", areLines());
    for (const band of bands) {
      band.path.setAttribute("d", areLines() ? line(band) : band.area);
      band.path.classList.toggle("chosen", band.box.checked);
      band.path.classList.toggle("all", band.isAll);
    }
    // Areas cover what is below them, the best first; of lines those that matter come on top.
    const over = (band) => (areLines() ? 2 * band.box.checked + band.leads : 0);
    group.append(...[...bands].sort((a, b) => over(a) - over(b) || a.number - b.number).map((b) => b.path));
    scale.forEach((text, at) => {
      const full = areLines() ? top : 1;
      text.textContent = `${inWords(100 * full * at / (scale.length - 1))} %`;
    });
    drawNames();
  }

  // --- a generation
  function show(at) {
    const order = [...bands].sort((a, b) => b.share(at) - a.share(at) || a.number - b.number);
    for (const band of bands) {
      band.text.textContent = percent(band.share(at));
      band.item.classList.toggle("gone", !band.share(at));
      band.item.value = 1 + order.findIndex((other) => other.share(at) === band.share(at));
      band.item.style.setProperty("--share", `${100 * band.share(at)}%`);
    }
    list.append(...order.map((band) => band.item));
    const best = order.slice(0, 3).map((band) => `${band.name} ${percent(band.share(at))}`).join(", ");
    slider.setAttribute("aria-valuetext", say("generation {number}: {best}", { number: generations[at], best }));
    told.textContent = say("{number} of {all}", { number: generations[at], all: generations[last] });
    page.querySelector(".when").textContent = at === last ? say("at the end") : say("in generation {number}", { number: generations[at] });
    cursor.setAttribute("transform", `translate(${generations[at] * wide} 0)`);
    cursor.style.visibility = at === last ? "hidden" : "visible";
  }

  // --- pointing
  function point(band) {
    group.classList.toggle("pointing", Boolean(band));
    for (const each of bands) {
      each.path.classList.toggle("at", each === band);
      each.item.classList.toggle("at", each === band);
    }
  }

  function tell(band, event) {
    const x = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).x;
    let at = 0;
    generations.forEach((generation, number) => {
      if (Math.abs(generation * wide - x) < Math.abs(generations[at] * wide - x)) at = number;
    });
    const count = band.counts[at] || 0;
    const told = { name: band.name, share: percent(band.share(at)), number: generations[at], count };
    tip.textContent = count === 1
      ? say("{name}: {share} in generation {number} ({count} copy)", told)
      : say("{name}: {share} in generation {number} ({count} copies)", told);
    tip.hidden = false;
    const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
    tip.style.left = `${Math.max(8, Math.min(event.clientX + 14, room))}px`;
    tip.style.top = `${event.clientY + 18}px`;
  }

  const bandOf = (path) => bands.find((band) => band.path === path);
  group.addEventListener("pointermove", (event) => {
    const band = bandOf(event.target);
    point(band);
    if (band) tell(band, event);
  });
  group.addEventListener("pointerleave", () => {
    point();
    tip.hidden = true;
  });
  group.addEventListener("click", (event) => {
    const band = bandOf(event.target);
    band.box.checked = !band.box.checked;
    draw();
  });
  for (const band of bands) {
    for (const come of ["pointerenter", "focusin"]) band.item.addEventListener(come, () => point(band));
    for (const leave of ["pointerleave", "focusout"]) band.item.addEventListener(leave, () => point());
    band.box.addEventListener("change", draw);
  }
  slider.addEventListener("input", () => show(Number(slider.value)));
  toggle.addEventListener("click", () => {
    toggle.setAttribute("aria-pressed", String(!areLines()));
    draw();
  });
  for (const hidden of page.querySelectorAll(".controls, .how")) hidden.hidden = false;
  slider.value = String(last); // a browser may keep what it was before the page was loaded again
  draw();
  show(last);
})();
