// The cross table: lights row and column, and tells both results.
"use strict";
(() => {
  const page = document.getElementById("cross");
  const table = page.querySelector("table");
  const lines = [table.tHead.rows[0], ...table.tBodies[0].rows].map((row) => ({
    head: row.cells[0],
    cells: Array.from(row.cells).slice(1),
  }));
  const names = lines[0].cells.map((head) => head.textContent);
  const where = new Map(lines.flatMap(({ cells }, row) => cells.map((cell, column) => [cell, [row - 1, column]])));
  const tip = page.appendChild(Object.assign(document.createElement("div"), { className: "tip", hidden: true }));
  let lit = [];

  const points = (row, column) => {
    const cell = lines[row + 1].cells[column];
    return cell.dataset.p || cell.textContent;
  };
  function words(row, column) {
    const own = points(row, column);
    const told = { name: names[row], other: names[column], own };
    if (own === "-") return say("{name} and {other}: no game counts", told);
    if (row === column) return say("{name} against itself: {own}", told);
    const cell = lines[row + 1].cells[column];
    const result = cell.classList.contains("w") ? say("won") : own === points(column, row) ? say("equal") : say("lost");
    return `${names[row]} ${own} : ${points(column, row)} ${names[column]} (${result})`;
  }

  function light(cell, x, y) {
    for (const each of lit) each.classList.remove("row", "column");
    const found = where.get(cell);
    tip.hidden = !found || found[0] < 0;
    lit = [];
    if (!found) return;
    const [row, column] = found;
    const ofColumn = lines.map((line) => line.cells[column]);
    const ofRow = row < 0 ? [] : [lines[row + 1].head, ...lines[row + 1].cells];
    for (const each of ofColumn) each.classList.add("column");
    for (const each of ofRow) each.classList.add("row");
    lit = [...ofColumn, ...ofRow];
    if (tip.hidden) return;
    tip.textContent = words(row, column);
    tip.style.left = `${Math.max(8, Math.min(x + 14, document.documentElement.clientWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${y + 18}px`;
  }
  const cellOf = (event) => event.target.closest("td, thead th");
  table.addEventListener("pointermove", (event) => light(cellOf(event), event.clientX, event.clientY));
  table.addEventListener("pointerleave", () => light(null));
  table.addEventListener("focusin", (event) => {
    const box = event.target.getBoundingClientRect();
    light(cellOf(event), box.left, box.top);
  });
  table.addEventListener("focusout", () => light(null));

  // From a cell's link the arrows lead to the next cell with one.
  const ways = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  table.addEventListener("keydown", (event) => {
    const found = where.get(cellOf(event));
    if (!found || !(event.key in ways)) return;
    const [down, right] = ways[event.key];
    let [row, column] = found;
    do {
      row += down;
      column += right;
    } while (row in names && column in names && !linkAt(row, column));
    const link = linkAt(row, column);
    if (link) {
      event.preventDefault();
      link.focus();
    }
  });
  function linkAt(row, column) {
    return lines[row + 1]?.cells[column]?.querySelector("a");
  }
})();
