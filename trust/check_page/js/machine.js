// machine.js - plays games of KNOBELN on the contest machine: the native engine's C as WebAssembly.
// Bytes go in and out as sandbox/vm/engine/batch.h and tournament/runners/knobeln_engine/orders.h say.
import { Unreadable, join, must } from "./bytes.js";

const BATCH_MAGIC = 0x34424e4b;
const IMAGE_MAGIC = 0x4d494e4b;
const IMAGE_HEAD_BYTES = 28; // sandbox/vm/image.py
const CODE_BASE = 0x10000;
const DATA_UNIT = 16; // static data is a multiple of so many bytes
// A program that throws what its data has, one number after the other.
const BY_HEART = [
  0x10000437, // lui s0, 0x10000: where data begins
  0x00100893, // addi a7, zero, 1: the service of throws
  0x00042503, // lw a0, 0(s0)
  0x00440413, // addi s0, s0, 4
  0x00000073, // ecall
  0xff5ff06f, // jal zero, -12: the next number
];
const ORDER_BYTES = 44;
const WITH_THROWS = 40; // where an order says whether the throws are wanted
const RECORD_BYTES = 96;
const SEAT_BYTES = 40;
const THROWS_BYTES = 22; // of both players' throws of a turn, as text
// By `enum fault` of faults.h, and of knobeln.h for 1 and 2.
const VERDICTS = ["OK", "ILLEGAL_MOVE", "ILLEGAL_MOVE", "TIME", "PROTOCOL", "PROTOCOL", "MEMORY", ...Array(4).fill("CRASH")];

/** Plays games between these builds. `rules`: a, b, k and L; `fuel`: instructions for each seat and game;
 * `builds`: bytes by digest. Throws Differs for a build that is none. */
export class Machine {
  #exports;
  #numbers;
  #length;

  constructor(module, rules, fuel, builds) {
    const fail = (at, size) => {
      throw new Unreadable(new TextDecoder().decode(this.#bytes(at, size)));
    };
    this.#exports = new WebAssembly.Instance(module, { page: { fail } }).exports;
    const head = new DataView(new ArrayBuffer(32));
    head.setUint32(0, BATCH_MAGIC, true);
    head.setUint32(4, builds.size, true);
    head.setBigInt64(8, BigInt(fuel), true);
    [rules.a, rules.b, rules.k, rules.L].forEach((number, at) => head.setUint32(16 + 4 * at, number, true));
    const images = [...builds].map(([digest, raw]) => imageOf(digest, raw));
    const batch = join(new Uint8Array(head.buffer), ...images);
    this.#length = rules.L;
    this.#numbers = new Map([...builds.keys()].map((digest, number) => [digest, number]));
    const place = this.#exports.allocate(batch.length);
    this.#bytes(place, batch.length).set(batch);
    this.#exports.open_batch(place, batch.length);
    this.order = this.#exports.allocate(ORDER_BYTES);
    this.record = this.#exports.allocate(RECORD_BYTES);
  }

  #bytes(at, size) {
    return new Uint8Array(this.#exports.memory.buffer, at, size);
  }

  /** The game's result as archives have it. By seat: digests of builds, and random streams of 16 bytes. */
  play(digests, streams) {
    return this.#answer(this.#order(digests, streams), this.record, RECORD_BYTES);
  }

  /** The result as `play` has it, and the throws by seat. If there is a fault, `forbidden` has by seat the last throw,
   * the one before it, and how many throws its series had. */
  playShown(digests, streams) {
    const room = RECORD_BYTES + THROWS_BYTES * this.#length;
    const place = this.#exports.allocate(room);
    const order = this.#order(digests, streams);
    order.setUint32(WITH_THROWS, 1, true);
    const result = this.#answer(order, place, room);
    const record = new DataView(this.#exports.memory.buffer, place, room);
    const text = new TextDecoder().decode(this.#bytes(place + RECORD_BYTES, record.getUint32(12, true)));
    const lines = text.split("\n").slice(0, -1);
    const throws = [0, 1].map((seat) => lines.filter((_, at) => at % 2 === seat).flatMap((line) => line.split(",").map(Number)));
    const forbidden = [0, 1].map((seat) => {
      const [number, last, series] = [16, 20, 24].map((at) => record.getInt32(16 + SEAT_BYTES * seat + at, true));
      return { number, last, series };
    });
    return { ...result, throws, forbidden };
  }

  #order(digests, streams) {
    const order = new DataView(new ArrayBuffer(ORDER_BYTES));
    digests.forEach((digest, seat) => order.setUint32(4 * seat, this.#numbers.get(digest), true));
    streams.forEach((stream, seat) => new Uint8Array(order.buffer).set(stream, 8 + 16 * seat));
    return order;
  }

  /** Plays the ordered game; its record comes to this place. */
  #answer(order, place, room) {
    this.#bytes(this.order, ORDER_BYTES).set(new Uint8Array(order.buffer));
    this.#exports.play_orders(this.order, ORDER_BYTES, place, room);
    const record = new DataView(this.#exports.memory.buffer, place, RECORD_BYTES);
    const turns = record.getUint32(8, true);
    return {
      seats: [0, 1].map((seat) => seatOf(record, 16 + SEAT_BYTES * seat, turns)),
      turns,
      digest: record.getBigUint64(0, true).toString(16).padStart(16, "0"),
      moves: null,
      is_whole: true,
    };
  }
}

function seatOf(record, at, turns) {
  const fault = record.getUint32(at + 12, true);
  return {
    points: record.getUint32(at + 8, true),
    verdict: VERDICTS[fault],
    fault: fault ? { turn: turns + 1, reason: "", stderr_tail: "" } : null,
    instructions: Number(record.getBigUint64(at, true)),
    memory: record.getUint32(at + 36, true),
    faults: fault ? 1 : 0,
    last_turn: 0,
    stderr_tail: "",
  };
}

/** The image as the engine reads it, without the names of its functions. Throws Differs for a build that is none. */
export function imageOf(digest, raw) {
  const view = new DataView(raw.buffer, raw.byteOffset, raw.length);
  const number = (at) => view.getUint32(4 * at, true);
  const isImage = raw.length >= IMAGE_HEAD_BYTES && number(0) === IMAGE_MAGIC && number(1) === 1
    && raw.length === IMAGE_HEAD_BYTES + number(3) + number(4) + number(6);
  must(isImage, "builds/{digest} is no program for the contest machine", { digest });
  const head = Uint32Array.of(number(2), number(3), number(4), number(5), 0);
  return join(new Uint8Array(head.buffer), raw.subarray(IMAGE_HEAD_BYTES, IMAGE_HEAD_BYTES + number(3) + number(4)));
}

/** The build of a program that has these throws by heart, whatever the opponent does. */
export function byHeart(throws) {
  const [code, data] = [4 * BY_HEART.length, 4 * throws.length];
  const head = [IMAGE_MAGIC, 1, CODE_BASE, code, data, Math.ceil(data / DATA_UNIT) * DATA_UNIT, 0];
  return new Uint8Array(Uint32Array.of(...head, ...BY_HEART, ...throws).buffer);
}

/** A machine for the games of one group, as the archive tells of them.
 *
 * A game has only as many instructions as the longest of the group is said to have, so that a program that never
 * ends is found soon; if a player is said to have used up its time, it has the contest's limit. */
export function machineFor(module, settings, builds, matches) {
  const seats = matches.flatMap((match) => match.result.seats);
  const limit = settings.programs.max_instructions;
  const longest = seats.reduce((most, seat) => Math.max(most, seat.instructions), 0);
  const isLimited = !seats.some((seat) => seat.verdict === "TIME");
  const fuel = isLimited ? Math.max(1_000, Math.min(limit, longest + 1)) : limit;
  must(Number.isSafeInteger(fuel) && fuel > 0, "the archive tells of an impossible number of instructions");
  const machine = new Machine(module, settings.game, fuel, builds);
  return (names, digests, streams) => {
    const result = machine.play(digests, streams);
    const late = isLimited ? result.seats.findIndex((seat) => seat.verdict === "TIME") : -1;
    must(late < 0, "the program of {name} needs more instructions than the archive has of any game of this group", { name: names[late] });
    return result;
  };
}
