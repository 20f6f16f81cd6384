// words.js - the sentences of the page in the reader's language.
// script_words.py lists them; values stand in `{names}`.

let translations = {};

/** Speak another language from now on. `table`: translations by the English sentence; {} for English. */
export function speak(table) {
  translations = table;
}

/** The sentence in the reader's language, with these values. */
export function say(sentence, values = {}) {
  return (translations[sentence] ?? sentence).replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** One of the two sentences, by the number that both call `{number}`. */
export function count(number, one, many, values = {}) {
  return say(number === 1 ? one : many, { ...values, number: number.toLocaleString("en") });
}
