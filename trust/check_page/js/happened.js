// happened.js - what a program did instead of answering, in words.
import { say } from "./words.js";

const MAX_SHOWN = 60; // of an answer, in characters

/** `answer`: a text that is no answer of the game, or the kind of a fault. */
export function toldWhatHappened({ answer, kind }) {
  if (answer !== undefined) return say("it has answered \"{answer}\"", { answer: answer.replace(/[\p{C}\p{Z}]+/gu, " ").slice(0, MAX_SHOWN) });
  if (kind === "late") return say("it has used up its time for an answer");
  if (kind === "crash") return say("it has crashed, or has ended");
  if (kind === "too long") return say("its answer was too long");
  return say("it has not answered");
}
