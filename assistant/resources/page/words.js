// The words that the user reads, in the language of Sori's settings, and elements that show them.

let catalogue = {};

/** Load the words; returns the language. */
export async function loadWords() {
  const answer = await fetch("/static/words.json");
  const loaded = await answer.json();
  catalogue = loaded.words;
  return loaded.language;
}

/** The text of a key with its fields filled in; `otherwise`, or the key itself, without such a text. */
export function say(key, values = {}, otherwise = key) {
  const text = catalogue[key];
  return text === undefined ? otherwise : text.replace(/\{(\w+)\}/g, (field, name) => values[name] ?? field);
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu;

/** A text in which every character that cannot be seen is shown by its number, except line breaks. */
export function visible(text) {
  return text.replace(UNSEEN, (sign) => (sign === "\n" ? sign : `⟨U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`));
}

/** A new element with a class, a text and listeners. */
export function element(tag, { className = "", text = "", on = {}, ...properties } = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  if (className) made.className = className;
  if (text) made.textContent = text;
  for (const [event, listener] of Object.entries(on)) made.addEventListener(event, listener);
  made.append(...children);
  return made;
}

/** Give the keyboard to the input field; on a touch screen to the conversation, so that no keyboard covers it unasked. */
export function focusInput() {
  document.getElementById(matchMedia("(pointer: coarse)").matches ? "scroll" : "text").focus();
}

/** Whether a key belongs to a syllable that is being composed. Safari ends the syllable before it tells of its last key, with the code 229. */
export function composes({ isComposing, keyCode }) {
  return isComposing || keyCode === 229;
}

/** Tell something that a reader of the screen must hear. */
export function announce(text) {
  document.getElementById("status").textContent = text;
}

/** Show a notice above the conversation; `action` is a label and a function. */
export function notice(text, severity = "info", action = null) {
  const box = element("div", { className: `notice ${severity}`, role: severity === "error" ? "alert" : "status" });
  box.append(element("span", { text }));
  if (action) box.append(element("button", { type: "button", text: action.label, on: { click: () => { box.remove(); action.run(); } } }));
  box.append(element("button", { type: "button", className: "close", text: "×", ariaLabel: say("web.close"), on: { click: () => box.remove() } }));
  document.getElementById("notices").append(box);
  if (severity === "info") setTimeout(() => box.remove(), 8000);
  return box;
}
