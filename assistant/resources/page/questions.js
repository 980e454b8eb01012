// Questions of a turn, as cards with buttons.

import { ask } from "./api.js";
import { argumentLabel, toolTitle, valueWords } from "./calls.js";
import { announce, element, notice, say, visible } from "./words.js";

const LEVELS = ["safe", "sensitive", "restricted"];
const SAFE_FIRST = ["no", "no_to_all", "skip", "yes", "always"];

/** The card of a question; `settle` shows how it ended. */
export class QuestionCard {
  constructor(turn, asked) {
    this.turn = turn;
    this.asked = asked;
    this.confirms = asked.kind === "confirm_tool";
    this.state = element("p", { className: "hint" });
    this.ways = element("div", { className: "ways" }, ...this.buttons());
    this.box = element("section", { className: "ask" }, element("h3", { text: this.title() }));
    if (asked.because) this.box.append(element("p", { className: "because", text: asked.because }));
    if (this.confirms) this.box.append(this.danger(), this.given(), this.details());
    else if (Object.keys(asked.arguments ?? {}).length) this.box.append(this.exactly());
    if (asked.kind === "words") this.box.append(this.words());
    this.box.append(this.ways, this.state);
    this.box.addEventListener("pointerenter", () => this.hold(true));
    this.box.addEventListener("pointerleave", () => this.hold(this.box.matches(":focus-within")));
    this.box.addEventListener("focusin", () => this.hold(true));
    this.box.addEventListener("focusout", () => setTimeout(() => this.hold(this.box.matches(":hover, :focus-within"))));
    announce(asked.text);
    // The time to answer counts from now on, because somebody can see the question.
    ask("POST", `/v1/turns/${turn}/questions/${asked.question}/shown`).catch(() => {});
  }

  title() {
    const { tool, text } = this.asked;
    return this.confirms ? say("desktop.ask.title", { tool: toolTitle(tool, this.asked.server) }) : visible(text);
  }

  /** How much harm the call can do, and whose tool it is. An unknown category is the worst. */
  danger() {
    const level = LEVELS.includes(this.asked.category) ? this.asked.category : "restricted";
    const box = element("p", { className: `danger icon ${level}`, text: say(`desktop.ask.danger.${level}`) });
    if (this.asked.server) box.append(element("small", { text: say("desktop.ask.server", { server: visible(this.asked.server) }) }));
    return box;
  }

  /** Each argument beside its name, as a person reads it. */
  given() {
    const { tool, arguments: given } = this.asked;
    const lines = Object.entries(given ?? {}).map(([name, value]) => [argumentLabel(tool, name), valueWords(tool, value)]).filter(([, value]) => value);
    return element("dl", {}, ...lines.flatMap(([label, value]) => [element("dt", { text: label }), element("dd", { tabIndex: 0, text: visible(value) })]));
  }

  details() {
    return element("details", {}, element("summary", { text: say("desktop.ask.details") }), this.exactly());
  }

  /** While the mouse or the keyboard is on the card, its time does not count. */
  hold(held) {
    if (held === this.held || this.over) return;
    this.held = held;
    ask("POST", `/v1/turns/${this.turn}/questions/${this.asked.question}/shown`, { held }).catch(() => {});
  }

  exactly() {
    const { tool, arguments: given } = this.asked;
    const lines = Object.entries(given).map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`);
    return element("pre", { className: "exact", tabIndex: 0, text: visible([tool, ...lines].join("\n")) });
  }

  buttons() {
    const { choices, kind, scope } = this.asked;
    const labels = {
      yes: this.confirms ? say("web.ask.run") : say("web.ask.yes"),
      no: this.confirms ? say("web.ask.not_run") : kind === "words" ? say("web.ask.decline") : say("web.ask.no"),
      always: say("desktop.ask.always", { scope: scope ?? "" }),
      no_to_all: say("desktop.ask.none"),
      skip: say("desktop.words.skip"),
    };
    return SAFE_FIRST.filter((choice) => choices.includes(choice)).map((choice) =>
      element("button", { type: "button", className: choice, text: labels[choice], on: { click: () => this.choose(choice) } }),
    );
  }

  words() {
    const { options } = this.asked;
    if (options?.length) {
      const each = options.map((text) => element("button", { type: "button", text: visible(text), on: { click: () => this.choose("text", text) } }));
      return element("div", { className: "ways" }, ...each);
    }
    const field = element("input", { type: "text", placeholder: say("desktop.words.placeholder"), ariaLabel: say("desktop.words.placeholder") });
    const give = (event) => { event.preventDefault(); if (field.value) this.choose("text", field.value); };
    return element("form", { className: "row", on: { submit: give } }, field, element("button", { type: "submit", text: say("desktop.words.send") }));
  }

  async choose(choice, text = "") {
    this.box.inert = true; // The first choice counts; its outcome comes as a packet.
    try {
      await ask("POST", `/v1/turns/${this.turn}/answers`, { question: this.asked.question, choice, text });
    } catch (error) {
      notice(error.message, "warning");
    }
  }

  /** Somebody sees or hears the question, so its time runs. It may be shown again, with a later deadline. */
  shown(deadline) {
    clearInterval(this.clock);
    if (!deadline) {
      this.state.textContent = say("desktop.ask.held");
      return;
    }
    this.deadline = Date.parse(deadline);
    this.clock = setInterval(() => this.countDown(), 250);
    this.countDown();
  }

  countDown() {
    const seconds = Math.max(0, Math.ceil((this.deadline - Date.now()) / 1000));
    this.bar ??= this.box.insertBefore(element("progress", { max: this.asked.within_s }), this.state);
    this.bar.value = seconds;
    this.state.textContent = say(this.confirms ? "desktop.ask.left" : "desktop.words.left", { seconds });
    if (seconds === 0) this.box.inert = true;
  }

  settle(outcome) {
    clearInterval(this.clock);
    this.over = true;
    this.bar?.remove();
    this.box.inert = false;
    this.box.classList.add("over");
    this.box.querySelectorAll(".ways, form").forEach((each) => each.remove());
    this.state.textContent = say(`desktop.${this.confirms ? "ask" : "words"}.outcome.${outcome}`, {}, say("desktop.ask.outcome.no"));
    announce(this.state.textContent);
  }
}
