// Replays a game: reads it from its file (reports/site/game_text.py), and draws it turn by turn.
"use strict";
(() => {
  const KEY = /^(\d{1,9})\.[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_]{1,64}){0,2}$/;
  const LINK = /^[A-Za-z0-9_./-]+$/;
  const CLOSE_UP = 60; // turns in sight, where a game has many
  const SECONDS = 20; // that a long game takes at the usual speed
  const SHORT = 200; // turns; a shorter game takes its time
  const SVG = "http://www.w3.org/2000/svg";

  const box = document.getElementById("replay");
  const part = Object.fromEntries(
    Array.from(box.querySelectorAll("[data-part]"), (found) => [found.dataset.part, found]),
  );
  const button = Object.fromEntries(Array.from(box.querySelectorAll("[data-do]"), (found) => [found.dataset.do, found]));
  const slider = box.querySelector("#scrub");
  const root = box.dataset.root ?? ""; // the way to the site's root
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const narrow = matchMedia("(max-width: 56rem)");

  // --- small helpers ---------------------------------------------------------------------------------------
  // As in page.js, which a game in a file of its own does without.
  const sentences = JSON.parse(document.querySelector("meta[name=words]")?.content ?? "{}");
  const say = (text, values = {}) => (sentences[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => values[name]);
  const number = (value) => value.toLocaleString(document.documentElement.lang);
  const nice = (text) => (/^\d{1,12}$/.test(text) ? number(Number(text)) : text);
  function counted(points) {
    const told = { number: number(points) };
    return Math.abs(points) === 1 ? say("{number} point", told) : say("{number} points", told);
  }
  const ofTwo = ([first, second]) => ({ first, second });
  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function shape(name, attributes = {}, text = "") {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text) made.textContent = text;
    return made;
  }

  // A player has the colour of its team, which colours.css knows; against itself the second has that of its seat.
  function ownedBy(made, name = "", seat = 0) {
    if (name && !(seat === 1 && game.players[0].name === name)) made.setAttribute("data-team", name);
    else made.removeAttribute("data-team");
    return made;
  }
  const ofSeat = (made, seat) => ownedBy(made, game.players[seat]?.name, Number(seat));

  function tell(problem) {
    part.problem.textContent = problem;
    part.problem.hidden = false;
  }

  // --- reading a game --------------------------------------------------------------------------------------
  function read(lines) {
    const game = { players: [], turns: [], show: [], letters: [], point: 1, word: "turn", turn: say("turn") };
    const several = {
      game: ([key]) => { game.key = key; },
      title: ([title]) => { game.title = title; },
      group: ([title, link]) => { game.group = { title, link }; },
      player: ([name, points, ending, link]) => { game.players.push({ name, points, ending, link }); },
      turns: ([text]) => { game.length = text; },
      word: ([word, point]) => { game.word = word; game.turn = say(word); game.point = Number(point); },
      letters: (parts) => {
        for (let at = 0; at < parts.length; at += 2) game.letters.push({ letter: parts[at], word: parts[at + 1] });
      },
      story: ([story]) => { game.story = story; },
      show: (views) => { game.show = views.filter(Boolean); },
      picture: ([facts, caption, first]) => {
        game.facts = JSON.parse(facts);
        game.pictures = [{ caption, change: JSON.parse(first) }];
      },
    };
    for (const line of lines) {
      const [first, ...fields] = line.split("\t");
      if (!first) {
        const seats = game.players.length;
        const points = fields.slice(seats, 2 * seats).map(Number);
        game.turns.push({ moves: fields.slice(0, seats), points: points.length === seats ? points : null });
        if (game.pictures) {
          const [caption, change] = fields.slice(-2);
          game.pictures.push({ caption, change: JSON.parse(change) });
        }
      } else if (Object.hasOwn(several, first)) {
        several[first](fields);
      }
    }
    const total = game.players.map(() => 0);
    game.totals = [total.slice()];
    for (const turn of game.turns) {
      turn.points?.forEach((points, seat) => { total[seat] += points; });
      game.totals.push(total.slice());
    }
    game.counts = game.turns.some((turn) => turn.points?.some(Boolean));
    return game;
  }

  function find(text, key) {
    const lines = text.split("\n");
    const start = key === null ? lines.findIndex((line) => line.startsWith("game\t")) : lines.indexOf(`game\t${key}`);
    return start < 0 ? null : lines.slice(start, lines.indexOf("end", start));
  }

  // Whether a key comes behind another: by the names of the players, then by the number of the game.
  function isBehind(key, other) {
    const [mine, theirs] = [key.split("."), other.split(".")];
    const different = mine.findIndex((word, at) => word !== theirs[at]);
    if (different < 0) return false;
    const [a, b] = [mine[different], theirs[different] ?? ""];
    return /^\d+$/.test(a) && /^\d+$/.test(b) ? Number(a) > Number(b) : a > b;
  }

  // The file of the key's round whose first key is not behind it, and is the last such.
  function fileOf(key) {
    const round = `${key.split(".")[0]}.`;
    const files = Array.from(document.querySelectorAll("a[data-first]"));
    return files.findLast(({ dataset: { first } }) => first.startsWith(round) && !isBehind(first, key));
  }

  // Two lists: a team, and whom it met in which round.
  function choose(key) {
    const form = document.querySelector(".chooser");
    if (!form) return;
    const games = form.dataset.games.split(" ").map((each) => ({ key: each, of: each.split(".") }));
    const [one, other] = form.querySelectorAll("select");
    const sides = ({ of }) => new Set(of.slice(1, 3).filter((name) => !/^\d+$/.test(name)));
    const teams = Array.from(new Set(games.flatMap((each) => Array.from(sides(each))))).sort();
    const rounds = new Set(games.map(({ of }) => of[0]));
    // The key of a game of many names its group in the teams' place.
    const groups = teams.filter((name) => name.startsWith("all-of-")).length;
    const called = (name) => {
      if (!name.startsWith("all-of-")) return name;
      return groups > 1 ? say("all of group {number}", { number: name.slice(7) }) : say("all teams");
    };
    one.append(...teams.map((name) => element("option", { value: name }, called(name))));
    const fill = () => {
      const met = games.filter((each) => sides(each).has(one.value)).map(({ key: value, of }) => {
        const whom = of[1] === one.value ? of[2] ?? "" : of[1];
        const parts = [called(/^\d*$/.test(whom) ? of[1] : whom)];
        if (rounds.size > 1) parts.push(say("round {number}", { number: of[0] }));
        if (/^\d+$/.test(of.at(-1)) && of.length > 2) parts.push(say("game {number}", { number: of.at(-1) }));
        return element("option", { value }, parts.join(", "));
      });
      other.replaceChildren(...met.sort((a, b) => a.textContent.localeCompare(b.textContent, undefined, { numeric: true })));
    };
    const shown = key ?? form.dataset.first;
    if (shown) one.value = shown.split(".")[1];
    fill();
    if (shown) other.value = shown;
    one.addEventListener("change", fill);
    form.querySelector("button").addEventListener("click", () => { location.href = `replay.html?game=${other.value}`; });
    form.hidden = false;
  }

  function load() {
    const inside = document.getElementById("game-text");
    if (inside) {
      begin(read(find(inside.textContent, null)));
      return;
    }
    const key = box.dataset.game ?? new URLSearchParams(location.search).get("game");
    choose(key);
    if (key === null) {
      tell(say("Which game?"));
      return;
    }
    const link = KEY.test(key) ? fileOf(key) : null;
    if (!link) {
      tell(say("There is no replay of such a game."));
      return;
    }
    window.knobelnGames = (text) => {
      const lines = find(text, key);
      if (lines) begin(read(lines), link.getAttribute("href"));
      else tell(say("There is no replay of such a game."));
    };
    const script = element("script", { src: link.getAttribute("href") });
    script.addEventListener("error", () => tell(say("The file of this game could not be loaded.")));
    document.head.append(script);
  }

  // --- pictures --------------------------------------------------------------------------------------------
  // Each has `show(at)` for the position after so many turns, and is drawn anew where its width changes.
  class Picture {
    // `heights`: on a desk and on a telephone, in pixels.
    constructor(game, name, heights = []) {
      this.game = game;
      this.heights = heights;
      this.svg = shape("svg", { role: "img", "aria-label": name });
      this.legend = element("figcaption");
      this.figure = element("figure", { class: "picture" }, this.svg, this.legend);
      part.views.append(this.figure);
    }

    fit() {
      this.width = Math.max(260, Math.floor(this.figure.clientWidth));
      this.height = this.heights[Number(narrow.matches)];
      this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
      this.svg.style.aspectRatio = `${this.width} / ${this.height}`;
      this.svg.replaceChildren();
      this.draw();
    }

    add(name, attributes, text) {
      const made = shape(name, attributes, text);
      this.svg.append(made);
      return made;
    }

    names() {
      const found = this.game.players.map((player, seat) =>
        element("span", {}, ofSeat(element("i", { class: `key k${seat % 8}` }), seat), ` ${player.name}`));
      return element("span", { class: "legend" }, ...found);
    }
  }

  const LEFT = 52;
  const STRIP = 13;

  // What the players threw, on a logarithmic scale, as it is thrown; below, the series.
  class Numbers extends Picture {
    constructor(game) {
      super(game, say("The numbers thrown"), [350, 210]);
      this.thrown = game.players.map((_, seat) => game.turns.map((turn) => Number(turn.moves[seat].replace(">", ""))));
      this.starts = game.players.map((_, seat) =>
        game.turns.flatMap((turn, at) => (at === 0 || turn.moves[seat].startsWith(">") ? [at] : [])));
      const all = this.thrown.flat();
      this.low = Math.floor(Math.log2(Math.max(1, Math.min(...all))));
      this.top = Math.max(this.low + 1, Math.ceil(Math.log2(Math.max(...all))));
      this.whole = false;
      this.legend.append(this.names(), " ", say("A large mark won points; the bars below are the series."));
    }

    get inSight() {
      const turns = this.game.turns.length;
      return this.whole ? turns : Math.min(CLOSE_UP, turns);
    }

    // The first turn in sight: the last one is at the right edge; where nothing should move, pages are turned.
    from(at) {
      if (calm.matches) return Math.floor(Math.max(0, at - 1) / this.inSight) * this.inSight;
      return clamp(at - this.inSight, 0, this.game.turns.length - this.inSight);
    }

    draw() {
      this.bottom = this.height - 26 - 2 * STRIP;
      const step = 1 + Math.floor((this.top - this.low) / 7);
      for (let power = this.low; power <= this.top; power += step) {
        const y = this.y(2 ** power);
        this.add("path", { class: "grid", d: `M${LEFT} ${y}H${this.width}` });
        this.add("text", { class: "tick", x: LEFT - 6, y: y + 4, "text-anchor": "end" }, number(2 ** power));
      }
      const ofEach = (look) => this.game.players.map((_, seat) => ofSeat(this.add("path", { class: `${look} p${seat}` }), seat));
      this.lines = ofEach("line");
      this.small = ofEach("dot");
      this.large = ofEach("dot won");
      const [even, odd] = [ofEach("band b0"), ofEach("band b1")];
      this.bands = even.map((band, seat) => [band, odd[seat]]);
      this.axis = Array.from({ length: 8 }, () => this.add("text", { class: "tick", y: this.height - 4, "text-anchor": "middle" }));
    }

    y(value) {
      const share = (Math.log2(Math.max(1, value)) - this.low) / (this.top - this.low);
      return Math.round(10 * (10 + (1 - share) * (this.bottom - 20))) / 10;
    }

    show(at) {
      const from = this.from(at);
      const step = (this.width - LEFT - 8) / this.inSight;
      const x = (turn) => Math.round(10 * (LEFT + (turn - from + 0.5) * step)) / 10;
      const until = Math.min(at, from + this.inSight);
      this.game.players.forEach((_, seat) => {
        const [line, small, large] = [[], [], []];
        for (let turn = from; turn < until; turn += 1) {
          const point = `${x(turn)} ${this.y(this.thrown[seat][turn])}`;
          line.push(point);
          (this.game.turns[turn].points[seat] > 0 ? large : small).push(`M${point}h0`);
        }
        this.lines[seat].setAttribute("d", line.length ? `M${line.join("L")}` : "");
        this.small[seat].setAttribute("d", this.whole && step < 5 ? "" : small.join(""));
        this.large[seat].setAttribute("d", this.whole && step < 5 ? "" : large.join(""));
        const bands = [[], []];
        this.starts[seat].forEach((start, index) => {
          const end = Math.min(until, this.starts[seat][index + 1] ?? this.game.turns.length);
          const first = Math.max(from, start);
          if (end <= first) return;
          const y = this.bottom + 2 + seat * STRIP;
          bands[index % 2].push(`M${x(first - 0.5)} ${y}H${x(end - 0.5)}v${STRIP - 3}H${x(first - 0.5)}z`);
        });
        bands.forEach((paths, odd) => this.bands[seat][odd].setAttribute("d", paths.join("")));
      });
      // Round numbers, which go along with their throws.
      const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((each) => each * 7 >= this.inSight) ?? this.inSight;
      const first = Math.ceil((from + 1) / every) * every;
      this.axis.forEach((text, index) => {
        const turn = first + index * every;
        text.textContent = turn <= from + this.inSight ? number(turn) : "";
        text.setAttribute("x", Math.min(x(turn - 1), this.width - 16));
      });
    }
  }

  // The points so far: faint what is to come. A click goes there.
  class Points extends Picture {
    constructor(game) {
      const low = game.show.includes("numbers") ? [110, 80] : [240, 160];
      super(game, say("The points of each player, {turn_word} by {turn_word}", { turn_word: game.turn }), low);
      this.legend.append(this.names(), " ", say("Points so far."));
      this.svg.classList.add("pointed");
      const go = (event) => {
        const room = this.svg.getBoundingClientRect();
        const share = (((event.clientX - room.left) / room.width) * this.width - LEFT) / (this.width - LEFT - 8);
        stop();
        show(Math.round(share * game.turns.length));
      };
      this.svg.addEventListener("pointerdown", (event) => {
        this.svg.setPointerCapture(event.pointerId);
        go(event);
      });
      this.svg.addEventListener("pointermove", (event) => {
        if (event.buttons) go(event);
      });
    }

    draw() {
      const { totals, players } = this.game;
      const all = totals.flat();
      const [low, top] = [Math.min(0, ...all), Math.max(1, ...all)];
      const [above, below] = [8, this.height - 22];
      const x = (turn) => LEFT + (turn * (this.width - LEFT - 8)) / (totals.length - 1);
      const y = (points) => below - ((points - low) / (top - low)) * (below - above);
      for (const points of [low, Math.round((low + top) / 2), top]) {
        this.add("path", { class: "grid", d: `M${LEFT} ${y(points)}H${this.width}` });
        this.add("text", { class: "tick", x: LEFT - 6, y: y(points) + 4, "text-anchor": "end" }, number(Math.round(points / this.game.point)));
      }
      for (const share of [0, 0.25, 0.5, 0.75, 1]) {
        const turn = Math.round(share * (totals.length - 1));
        this.add("text", { class: "tick", x: clamp(x(turn), LEFT, this.width - 18), y: this.height - 4, "text-anchor": "middle" }, number(turn));
      }
      const paths = players.map((_, seat) =>
        `M${totals.map((of, turn) => `${x(turn).toFixed(1)} ${y(of[seat]).toFixed(1)}`).join("L")}`);
      paths.forEach((d, seat) => ofSeat(this.add("path", { class: `line ghost p${seat % 8}`, d }), seat));
      const clip = this.add("clipPath", { id: "so-far" });
      this.past = shape("rect", { x: 0, y: 0, width: 0, height: this.height });
      clip.append(this.past);
      const group = this.add("g", { "clip-path": "url(#so-far)" });
      paths.forEach((d, seat) => group.append(ofSeat(shape("path", { class: `line p${seat % 8}`, d }), seat)));
      this.sight = this.add("rect", { class: "sight", y: 2, height: below - 2 });
      this.cursor = this.add("path", { class: "cursor", d: `M0 2V${below}` });
      this.x = x;
    }

    show(at) {
      this.past.setAttribute("width", this.x(at));
      this.cursor.setAttribute("transform", `translate(${this.x(at)} 0)`);
      const lens = pictures.find((picture) => picture instanceof Numbers);
      const shown = lens && lens.inSight < this.game.turns.length ? lens.inSight : 0;
      const from = shown ? lens.from(at) : 0;
      this.sight.setAttribute("x", this.x(from));
      this.sight.setAttribute("width", this.x(shown) - this.x(0));
      this.sight.style.visibility = shown ? "visible" : "hidden";
    }
  }

  const SIDE = 44;

  class Board extends Picture {
    constructor(game) {
      super(game, say("The board"));
      this.figure.classList.add("board");
      this.caption = element("span", { class: "caption" });
      const signs = game.players.map((player, seat) =>
        element("span", {}, ofSeat(element("i", { class: `key k${seat}` }), seat), ` ${game.facts.signs[seat] ?? ""} ${player.name}`));
      this.legend.append(this.caption, element("span", { class: "legend" }, ...signs));
      if (game.pictures.some(({ change }) => change.s.some((square) => square[3].includes("legal")))) {
        this.legend.append(element("span", { class: "legend" }, element("span", {}, element("i", { class: "key next" }), " ", say("can be played next"))));
      }
    }

    fit() {
      const { rows, columns, block } = this.game.facts;
      this.svg.replaceChildren();
      this.svg.setAttribute("viewBox", `-2 -2 ${columns * SIDE + 4} ${rows * SIDE + 4}`);
      this.svg.style.width = `min(100%, ${Math.max(24, columns * 3.9)}rem)`;
      this.squares = Array.from({ length: rows * columns }, (_, at) => {
        const group = this.add("g", { transform: `translate(${(at % columns) * SIDE} ${Math.floor(at / columns) * SIDE})` });
        const text = shape("text", { x: SIDE / 2, y: SIDE * 0.72 });
        const small = shape("text", { class: "small", x: SIDE / 2, y: SIDE * 0.28 });
        const ground = shape("rect", { width: SIDE, height: SIDE });
        group.append(ground, shape("path", { class: "mark", d: `M3 3H${SIDE - 3}V${SIDE - 3}H3Z` }), text, small);
        return { group, ground, text, small };
      });
      const edges = (count) => Array.from({ length: count + 1 }, (_, at) => at).filter((at) => at % (block || count) === 0);
      const across = edges(rows).map((at) => `M0 ${at * SIDE}H${columns * SIDE}`);
      const down = edges(columns).map((at) => `M${at * SIDE} 0V${rows * SIDE}`);
      this.add("path", { class: "heavy", d: [...across, ...down].join("") });
    }

    show(at) {
      const last = new Map();
      for (const { change } of this.game.pictures.slice(0, at + 1)) {
        for (const [square, ...looks] of change.s) last.set(square, looks);
      }
      for (const [square, [text, small, style]] of last) {
        const found = this.squares[square];
        found.text.textContent = text;
        found.small.textContent = small;
        found.group.setAttribute("class", style);
        ofSeat(found.text, /\bs(\d)/.exec(style)?.[1]);
        ofSeat(found.ground, /\bg(\d)/.exec(style)?.[1]);
      }
      this.caption.textContent = this.game.pictures[at].caption;
    }
  }

  const AROUND = 600; // width of a ring with its names

  class Ring extends Picture {
    constructor(game) {
      super(game, say("The ring of players"));
      this.figure.classList.add("ring");
      this.caption = element("span", { class: "caption" });
      this.legend.append(this.caption);
      const words = game.letters.map(({ letter, word }) => `${letter} ${word}`).join(", ");
      if (words) this.legend.append(element("span", { class: "legend" }, words));
    }

    fit() {
      const count = this.game.players.length;
      const middle = AROUND / 2;
      this.svg.replaceChildren();
      this.svg.setAttribute("viewBox", `-80 0 ${AROUND + 160} ${AROUND}`);
      const head = shape("marker", { id: "head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 5, markerHeight: 5, orient: "auto" });
      head.append(shape("path", { class: "head", d: "M0 0L8 4L0 8z" }));
      this.add("defs").append(head);
      this.size = clamp((Math.PI * 200) / count - 3, 3, 26);
      this.places = this.game.players.map((player, seat) => {
        const angle = (2 * Math.PI * seat) / count - Math.PI / 2;
        const place = { x: middle + 200 * Math.cos(angle), y: middle + 200 * Math.sin(angle) };
        const group = ofSeat(this.add("g", { transform: `translate(${place.x} ${place.y})` }), seat);
        const health = shape("circle", { class: `health p${seat % 8}`, r: this.size, pathLength: 100, transform: "rotate(-90)" });
        const text = shape("text", { y: this.size * 0.35, "font-size": this.size * 1.1 });
        const far = this.size * 0.6;
        const cross = shape("path", { class: "cross-out", d: `M${-far} ${-far}L${far} ${far}M${far} ${-far}L${-far} ${far}` });
        group.append(shape("circle", { class: "body", r: this.size }), health, shape("circle", { class: "cover", r: this.size + 4 }), text, cross);
        if (count <= 40) {
          const out = this.size + 9;
          const turn = Math.cos(angle) < -0.001 ? 180 : 0;
          const name = shape("text", {
            class: "name", "font-size": count <= 20 ? 17 : 13, y: 4,
            "text-anchor": turn ? "end" : "start", x: turn ? -out : out,
            transform: `rotate(${(angle * 180) / Math.PI + turn})`,
          }, player.name.length > 12 ? `${player.name.slice(0, 11)}…` : player.name);
          group.append(name);
        }
        group.append(shape("title", {}, player.name));
        return { ...place, group, health, text };
      });
      this.shots = this.add("g", { class: "shots" });
    }

    show(at) {
      const last = new Map();
      for (const { change } of this.game.pictures.slice(0, at + 1)) {
        for (const [seat, ...looks] of change.f) last.set(seat, looks);
      }
      for (const [seat, [health, , text, covered]] of last) {
        const place = this.places[seat];
        const share = (100 * health) / this.game.facts.full;
        place.group.setAttribute("class", `${health ? "" : "fallen"}${covered ? " covered" : ""}`);
        place.health.setAttribute("stroke-dasharray", `${share} 100`);
        place.text.textContent = text;
      }
      const { caption, change } = this.game.pictures[at];
      this.caption.textContent = caption;
      this.shots.replaceChildren(...change.a.map(([from, to]) => this.shot(this.places[from], this.places[to])));
    }

    shot(from, to) {
      const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
      const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
      // Two that shoot at each other: each arrow keeps to its right.
      const [sx, sy] = [-dy * this.size * 0.3, dx * this.size * 0.3];
      const [near, far] = [this.size + 1, Math.max(this.size + 2, length - this.size - 3)];
      return shape("path", {
        "marker-end": "url(#head)",
        d: `M${from.x + dx * near + sx} ${from.y + dy * near + sy}L${from.x + dx * far + sx} ${from.y + dy * far + sy}`,
      });
    }
  }

  const CELL = 38;
  const HEIGHTS = [1, 0.55, 0.3, 0.8]; // of a cell, by letter

  // A row of cells for each player, in its colour, and a cell for each turn: as high as what was done says.
  class Letters extends Picture {
    constructor(game) {
      const height = 22 + CELL * game.players.length;
      super(game, say("What each player did, {turn_word} by {turn_word}", { turn_word: game.turn }), [height, height]);
      const keys = game.letters.map(({ letter, word }, at) =>
        element("span", {}, element("i", { class: `key tile l${at}` }, letter), ` ${word}`));
      this.legend.append(element("span", { class: "legend" }, ...keys));
    }

    draw() {
      const turns = this.game.turns.length;
      this.room = Math.min(150, this.width / 3);
      this.step = Math.min(64, (this.width - this.room - 4) / turns);
      this.game.players.forEach((player, seat) => {
        const short = player.name.length > 18 ? `${player.name.slice(0, 17)}…` : player.name;
        this.add("text", { x: 0, y: 25 + CELL * seat, class: "who" }, short);
      });
      this.cells = this.game.turns.map((turn, at) => turn.moves.map((move, seat) => {
        const which = this.game.letters.findIndex(({ letter }) => letter === move.replace("!", ""));
        const group = this.add("g", { class: which < 0 ? "none" : `tile l${which} p${seat % 8}`, transform: `translate(${this.room + at * this.step} ${2 + CELL * seat})` });
        const height = (CELL - 3) * (HEIGHTS[which] ?? 1);
        group.append(shape("rect", { width: Math.max(1, this.step - 1), y: CELL - 3 - height, height, rx: Math.min(3, this.step / 4) }));
        if (this.step >= 12 * move.length) group.append(shape("text", { x: (this.step - 1) / 2, y: CELL - 9 }, move));
        return ofSeat(group, seat);
      }));
      const every = Math.ceil(32 / this.step);
      for (let turn = every; turn <= turns; turn += every) {
        this.add("text", { class: "tick", "text-anchor": "middle", x: this.room + (turn - 0.5) * this.step, y: this.height - 5 }, number(turn));
      }
      this.now = this.add("rect", { class: "frame", y: 0, height: CELL * this.game.players.length + 1, width: this.step });
    }

    show(at) {
      this.cells.forEach((cells, turn) => cells.forEach((cell) => cell.classList.toggle("later", turn >= at)));
      this.now.setAttribute("x", this.room + Math.max(0, at - 1) * this.step - 0.5);
      this.now.style.visibility = at ? "visible" : "hidden";
    }
  }

  const VIEWS = { numbers: Numbers, board: Board, ring: Ring, letters: Letters, points: Points };

  // --- the players, and the turns around the present one ---------------------------------------------------
  // What a move offers for each square, row by row, where players pay for squares; else null.
  function bidsOf(game, move) {
    const { rows, columns, purses } = game.facts ?? {};
    const bids = move.split(" ");
    if (!purses?.length || bids.length !== rows * columns) return null;
    return Array.from({ length: rows }, (_, row) => bids.slice(row * columns, (row + 1) * columns).map((bid) => (bid === "0" ? "·" : bid)));
  }

  class Players {
    constructor(game) {
      this.game = game;
      this.many = game.players.length > 2;
      part.players.classList.toggle("many", this.many);
      this.purse = Math.max(0, ...(game.facts?.purses ?? []));
      this.cards = game.players.map((player, seat) => {
        const name = LINK.test(player.link) ? element("a", { href: root + player.link }, player.name) : player.name;
        const card = {
          move: element("span", { class: "move" }),
          won: element("span", { class: "won" }),
          points: element("span", { class: "points" }),
          purse: element("meter", { class: "purse", min: 0, max: this.purse || 1, "aria-label": say("purse of {name}", player) }),
        };
        const head = element("span", { class: "who" }, ofSeat(element("i", { class: `key k${seat % 8}` }), seat), " ", name);
        card.box = element("li", { class: `card c${seat % 8}` }, head, card.move, card.won, card.points, ...(this.purse ? [card.purse] : []));
        part.players.append(ofSeat(card.box, seat));
        return card;
      });
    }

    show(at) {
      const turn = at ? this.game.turns[at - 1] : null;
      const purses = this.game.pictures?.[at].change.p;
      this.cards.forEach((card, seat) => {
        const move = turn ? turn.moves[seat].replace(">", "") : "";
        const plain = nice(move);
        const bids = bidsOf(this.game, move);
        if (bids) card.move.replaceChildren(...bids.flat().map((bid) => element("span", {}, bid)));
        else card.move.textContent = plain === "-" ? "" : plain;
        card.move.classList.toggle("bids", bids !== null);
        card.move.style.setProperty("--columns", bids ? bids[0].length : null);
        card.move.classList.toggle("long", !bids && plain.length > 8);
        const won = turn?.points?.[seat] ?? 0;
        card.won.textContent = won > 0 ? `+${number(won / this.game.point)}` : won < 0 ? number(won / this.game.point) : "";
        card.box.classList.toggle("scored", won > 0 && !this.many);
        const total = this.game.totals[at][seat] / this.game.point;
        card.points.textContent = this.game.counts ? counted(total) : "";
        if (purses) {
          card.purse.value = purses[seat];
          card.purse.title = say("{number} left", { number: purses[seat] });
          card.points.textContent = say("{number} left", { number: number(purses[seat]) });
        }
      });
    }
  }

  const ROWS = 9;

  class Turns {
    constructor(game) {
      this.game = game;
      if (game.players.length > 2) return; // a line would be too long; the ring shows it
      const head = element("tr", {}, element("th", { scope: "col" }, game.turn),
        ...game.players.map((player) => element("th", { scope: "col" }, player.name)));
      this.body = element("tbody");
      const caption = element("caption", { class: "unseen" }, say("The {turns} before and after", { turns: say(`${game.word}s`) }));
      part.turns.append(element("table", {}, caption, element("thead", {}, head), this.body));
      this.rows = Array.from({ length: Math.min(ROWS, game.turns.length) }, () => {
        const cells = [element("th", { scope: "row" }), ...game.players.map(() => element("td"))];
        const row = element("tr", {}, ...cells);
        this.body.append(row);
        return { row, cells };
      });
    }

    show(at) {
      if (!this.rows) return;
      const from = clamp(at - 1 - Math.floor(this.rows.length / 2), 0, this.game.turns.length - this.rows.length);
      this.rows.forEach(({ row, cells }, index) => {
        const turn = this.game.turns[from + index];
        cells[0].textContent = number(from + index + 1);
        turn.moves.forEach((move, seat) => {
          const cell = cells[seat + 1];
          const told = bidsOf(this.game, move)?.map((row) => row.join(" ")).join(" / ") ?? move.replace(">", "▸");
          cell.textContent = from + index < at ? told : "";
          cell.classList.toggle("won", (turn.points?.[seat] ?? 0) > 0 && this.game.counts);
        });
        row.classList.toggle("now", from + index + 1 === at);
      });
    }
  }

  // --- going through the game ------------------------------------------------------------------------------
  let game = null;
  let pictures = [];
  let boxes = [];
  let at = 0;
  let frame = 0;
  let telling = 0;

  function show(turn) {
    at = clamp(turn, 0, game.turns.length);
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", at ? say("{turn_word} {number} of {all}", { turn_word: game.turn, number: at, all: game.turns.length }) : say("before the beginning"));
    part.at.textContent = say("{number} of {all}", { number: number(at), all: number(game.turns.length) });
    for (const each of boxes) each.show(at);
    if (!frame) announce();
  }

  // For those who cannot see it: the present turn, once nobody has moved on for a moment.
  function announce() {
    clearTimeout(telling);
    telling = setTimeout(() => {
      const turn = at ? game.turns[at - 1] : null;
      const asked = game.players.map((player, seat) => [player.name, turn?.moves[seat].replace(">", "")]);
      const moves = turn && game.players.length <= 4 ? asked.filter(([, move]) => move !== "-").map((pair) => pair.join(" ")) : [];
      const points = game.counts && game.players.length === 2 ? say("points {first} to {second}", ofTwo(game.totals[at].map((of) => of / game.point))) : "";
      const caption = game.pictures?.[at].caption ?? "";
      part.status.textContent = [at ? `${game.turn} ${at}: ${moves.join(", ")}` : say("Before the beginning"), points, caption].filter(Boolean).join("; ");
    }, 400);
  }

  function stop() {
    if (frame) cancelAnimationFrame(frame);
    frame = 0;
    button.play.textContent = say("Play");
    button.play.setAttribute("aria-label", say("Play"));
    if (game) announce();
  }

  function play() {
    const turns = game.turns.length;
    if (at === turns) show(0);
    const usual = turns >= SHORT ? turns / SECONDS : Math.max(1, turns / (2 * SECONDS));
    let position = at;
    let before = performance.now();
    button.play.textContent = say("Pause");
    button.play.setAttribute("aria-label", say("Pause"));
    clearTimeout(telling);
    part.status.textContent = "";
    const tick = (now) => {
      const wait = calm.matches ? 500 : 0; // fewer changes for who wants less to move
      if (now - before >= wait) {
        position += ((now - before) / 1000) * usual * Number(part.speed.value);
        before = now;
        if (Math.floor(position) > at) show(Math.floor(position));
      }
      frame = at < turns ? requestAnimationFrame(tick) : 0;
      if (!frame) stop();
    };
    frame = requestAnimationFrame(tick);
  }

  function here() {
    const address = new URL(location.href);
    address.hash = `${game.word}=${at}`;
    return address.href;
  }

  async function copy() {
    const field = part.link.querySelector("input");
    field.value = here();
    try {
      await navigator.clipboard.writeText(field.value);
      part.status.textContent = say("The link was copied.");
      button.copy.textContent = say("Copied");
      setTimeout(() => { button.copy.textContent = say("Copy link"); }, 1500);
    } catch {
      part.link.hidden = false; // where the browser does not let us: to copy by hand
      field.focus();
      field.select();
    }
  }

  function full() {
    if (document.fullscreenElement) document.exitFullscreen();
    else box.requestFullscreen?.();
  }

  function whole() {
    const lens = pictures.find((picture) => picture instanceof Numbers);
    if (!lens) return;
    lens.whole = !lens.whole;
    button.whole.setAttribute("aria-pressed", String(lens.whole));
    show(at);
  }

  // Who wants to see it as it was played hides how it ended; the browser remembers that.
  function secret(hidden) {
    box.classList.toggle("secret", hidden);
    button.secret.setAttribute("aria-pressed", String(hidden));
    try {
      localStorage.setItem("secret", hidden ? "yes" : "");
    } catch {
      // where the browser keeps nothing, it is for this game alone
    }
  }

  function wasSecret() {
    try {
      return localStorage.getItem("secret") === "yes";
    } catch {
      return false;
    }
  }

  // Where the game is worth a look: some turns before its winner took the lead for good.
  function opening() {
    if (game.players.length !== 2 || !game.counts) return 0;
    const leads = game.totals.map(([first, second]) => first - second);
    const kept = leads.findLastIndex((lead) => lead * leads.at(-1) <= 0);
    return leads.at(-1) && game.turns.length >= SHORT ? clamp(kept - 50, 0, game.turns.length - 50) : 0;
  }

  const go = (turn) => {
    stop();
    show(turn);
  };
  const actions = {
    first: () => go(0),
    back: () => go(at - 1),
    play: () => (frame ? stop() : play()),
    on: () => go(at + 1),
    last: () => go(game.turns.length),
    whole,
    copy,
    full,
    secret: () => secret(!box.classList.contains("secret")),
  };
  const keys = {
    " ": actions.play,
    ArrowLeft: (event) => go(at - (event.shiftKey ? 10 : 1)),
    ArrowRight: (event) => go(at + (event.shiftKey ? 10 : 1)),
    Home: actions.first,
    End: actions.last,
    f: full,
    c: copy,
    w: whole,
    h: actions.secret,
  };

  function press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
    // Whatever has a use for a key of its own keeps it.
    const own = { A: "", BUTTON: " ", SUMMARY: " ", SELECT: null, INPUT: event.target.type === "range" ? "ArrowLeft ArrowRight Home End" : null };
    const kept = own[event.target.tagName];
    if (kept === null || (kept && kept.includes(event.key) && !(event.shiftKey && event.key !== " "))) return;
    event.preventDefault();
    keys[event.key](event);
  }

  function jump() {
    const found = /^#[a-z]+=(\d{1,9})$/.exec(location.hash);
    go(Number(found?.[1] ?? opening()));
    return found;
  }

  function fit() {
    for (const picture of pictures) picture.fit();
    show(at);
  }

  function onPaper() {
    const lens = pictures.find((picture) => picture instanceof Numbers);
    const before = at;
    stop();
    if (lens) lens.whole = true;
    show(game.turns.length);
    addEventListener("afterprint", () => {
      if (lens) lens.whole = button.whole.getAttribute("aria-pressed") === "true";
      show(before);
    }, { once: true });
  }

  // The line that plays the reader's program in the loser's seat.
  function beat() {
    if (!part.beat || game.players.length !== 2 || game.players[0].link === game.players[1].link) return;
    part.line.textContent = `python3 beat.py ${game.key} mine${part.beat.dataset.suffix}`;
    part.beat.hidden = false;
    part.beat.querySelector("button").addEventListener("click", async (event) => {
      await navigator.clipboard?.writeText(part.line.textContent);
      event.target.textContent = say("Copied");
    });
  }

  function begin(found, file = "") {
    game = found;
    part.title.textContent = game.title;
    if (!document.title.startsWith(game.title)) document.title = `${game.title} - ${document.title}`;
    part.story.textContent = game.story ?? "";
    part.story.hidden = !game.story;
    const where = [];
    if (game.group?.title) where.push(LINK.test(game.group.link) ? element("a", { href: root + game.group.link }, game.group.title) : game.group.title, ". ");
    const endings = Array.from(new Set(game.players.map((player) => player.ending)));
    const how = endings.length === 1 ? endings : game.players.map((player) => `${player.name}: ${player.ending}`);
    if (game.players.length === 2) where.push(say("{first} to {second} points, {endings}.", { ...ofTwo(game.players.map((player) => nice(player.points))), endings: how.join("; ") }));
    else where.push(`${game.length}.`);
    where.push(element("span", { class: "ending" }, where.pop()), " ");
    if (LINK.test(file)) where.push(element("a", { href: file }, say("The game as text")), ".");
    part.where.replaceChildren(...where);
    part.where.hidden = false;
    if (part.check) {
      part.check.href = `${root}verify.html#game=${game.key}`;
      part.check.parentElement.hidden = false;
    }
    beat();
    if (!game.turns.length) {
      const atOnce = game.length.startsWith("0 ");
      tell(atOnce
        ? say("This game ended in its first {turn_word}.", { turn_word: game.turn })
        : say("What the players did in each {turn_word} of this game was not kept.", { turn_word: game.turn }));
      return;
    }
    box.classList.add(`seats-${game.players.length > 2 ? "many" : 2}`, ...game.show.map((view) => `has-${view}`));
    part.word.textContent = game.turn;
    slider.max = String(game.turns.length);
    part.stage.hidden = false;
    part.controls.hidden = false;
    button.full.hidden = !document.fullscreenEnabled;
    button.whole.hidden = !(game.show.includes("numbers") && game.turns.length > CLOSE_UP);
    pictures = game.show.filter((view) => Object.hasOwn(VIEWS, view)).map((view) => new VIEWS[view](game));
    boxes = [...pictures, new Players(game), new Turns(game)];
    for (const picture of pictures) picture.fit();
    secret(wasSecret());
    // A link to a place of the game stays there; else it runs.
    if (!jump() && !calm.matches) play();
    new ResizeObserver(() => {
      const isOther = (picture) => picture.width && picture.width !== Math.max(260, Math.floor(picture.figure.clientWidth));
      if (pictures.some(isOther)) fit();
    }).observe(part.views);
    narrow.addEventListener("change", fit);
    slider.addEventListener("input", () => go(Number(slider.value)));
    box.addEventListener("click", (event) => {
      const pressed = event.target.closest("[data-do]");
      if (pressed) actions[pressed.dataset.do]();
    });
    document.addEventListener("keydown", press);
    document.addEventListener("fullscreenchange", () => {
      button.full.setAttribute("aria-pressed", String(document.fullscreenElement !== null));
    });
    addEventListener("hashchange", jump);
    addEventListener("beforeprint", onPaper);
  }

  load();
})();
