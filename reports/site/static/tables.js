// Sorts tables by the heads of their columns, and filters long ones by name. Without it they are plain tables.
// A table with an id, and a cross table, belong to scripts of their own.
"use strict";
(() => {
  const FEWEST_TO_FILTER = 12;
  const NUMBER = /^[-−]?[\d.,]+( ?%)?$/;
  // 1,234.5 and, on a German page, 1.234,5
  const DECIMAL = new Intl.NumberFormat(document.documentElement.lang).format(0.5)[1];
  const NO_DIGITS = DECIMAL === "," ? /[. %]/g : /[, %]/g;
  const RECORD = /^(\d+)-(\d+)-(\d+)$/; // won-drawn-lost

  // What a cell is sorted by: a number, or a text; null if it is empty.
  function value(cell) {
    const time = cell.querySelector("time");
    if (time) return time.dateTime;
    const text = cell.textContent.trim();
    if (text === "" || text === "-") return null;
    const record = RECORD.exec(text);
    if (record) return record[1] - record[3];
    return NUMBER.test(text) ? Number(text.replace("−", "-").replace(NO_DIGITS, "").replace(DECIMAL, ".")) : text;
  }

  function compare(a, b) {
    return typeof a === "number" && typeof b === "number" ? a - b
      : String(a).localeCompare(String(b), undefined, { numeric: true, sensitivity: "base" });
  }

  function sortable(table, heads) {
    const body = table.tBodies[0];
    const before = Array.from(body.rows);
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      const spoken = head.getAttribute("aria-label");
      if (spoken) button.setAttribute("aria-label", spoken);
      head.removeAttribute("aria-label");
      head.append(button);
      button.addEventListener("click", () => {
        const keyed = before.map((row) => ({ row, key: value(row.cells[column]) }));
        const first = keyed.some(({ key }) => typeof key === "number") ? "descending" : "ascending";
        const second = first === "ascending" ? "descending" : "ascending";
        const order = { [first]: second, [second]: null }[head.getAttribute("aria-sort")];
        const next = order === undefined ? first : order;
        for (const other of heads) other.removeAttribute("aria-sort");
        if (next) {
          const sign = next === "ascending" ? 1 : -1;
          head.setAttribute("aria-sort", next);
          keyed.sort((a, b) => a.key === null || b.key === null
            ? (a.key === null) - (b.key === null) : sign * compare(a.key, b.key));
        }
        body.append(...keyed.map(({ row }) => row));
      });
    });
  }

  function filterable(table) {
    const rows = Array.from(table.tBodies[0].rows);
    const names = rows.map((row) => row.querySelector("th")?.textContent.trim().toLowerCase() ?? "");
    if (rows.length < FEWEST_TO_FILTER || !names.every((name) => /\p{L}/u.test(name))) return;
    const place = document.createElement("p");
    const label = document.createElement("label");
    const input = document.createElement("input");
    const found = document.createElement("output");
    place.className = "filter";
    input.type = "search";
    label.append(say("Find"), " ", input);
    place.append(label, " ", found);
    input.addEventListener("input", () => {
      const wanted = input.value.trim().toLowerCase();
      rows.forEach((row, at) => { row.hidden = !names[at].includes(wanted); });
      const left = rows.filter((row) => !row.hidden).length;
      found.textContent = wanted ? say("{found} of {all}", { found: left, all: rows.length }) : "";
    });
    (table.closest(".scroll") ?? table).before(place);
  }

  for (const table of document.querySelectorAll("main table:not([id], .cross)")) {
    const heads = Array.from(table.tHead?.rows[0]?.cells ?? []);
    const rows = Array.from(table.tBodies[0]?.rows ?? []);
    if (rows.length < 3 || rows.some((row) => row.cells.length !== heads.length)) continue;
    sortable(table, heads);
    filterable(table);
  }
})();
