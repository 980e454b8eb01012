// The open conversation: stored messages, and turns as they go on.

import { ask, events, newId, Refused } from "./api.js";
import { attachments, fileBoxes } from "./files.js";
import { drawAll, GrowingText } from "./markdown.js";
import { QuestionCard } from "./questions.js";
import { openSource, sources } from "./sources.js";
import { doneWords, toolTitle } from "./calls.js";
import { announce, element, focusInput, notice, say, visible } from "./words.js";

const byId = (id) => document.getElementById(id);
const RETRY_MS = [500, 1000, 2000, 5000];

/** Follows one conversation. `listener` takes every event, also those that concern everybody. */
export class Conversation {
  constructor(listener) {
    this.listener = listener;
    this.id = "";
    this.turns = new Map();
    this.readers = new Map();
    this.following = new AbortController();
    byId("earlier").addEventListener("click", () => this.loadEarlier());
    byId("messages").addEventListener("click", ({ target }) => {
      if (target.closest("button.cite")) openSource(target.closest("button.cite"));
    });
    byId("scroll").addEventListener("scroll", () => { this.atEnd = isAtEnd(); });
    this.atEnd = true;
    this.speaking = false;
  }

  /** Show a conversation; without an id an empty one, which is made with its first message. */
  open(id, wanted = "") {
    this.following.abort();
    this.following = new AbortController();
    this.id = id;
    this.wanted = wanted;
    this.turns.clear();
    byId("messages").replaceChildren();
    byId("earlier").hidden = true;
    this.showBusy();
    this.follow(id, this.following.signal);
  }

  async follow(id, signal) {
    for (let failures = 0; !signal.aborted; ) {
      try {
        const path = id ? `/v1/conversations/${id}/events` : "/v1/events";
        let begun = false;
        for await (const event of events(path, signal)) {
          if (signal.aborted) return;
          failures = 0;
          if (!begun) this.listener({ type: "followed" });
          begun = true;
          this.lost?.remove();
          this.lost = null;
          this.take(event);
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Refused && error.status < 500) {
          this.listener({ type: "refused", error });
          return;
        }
      }
      this.lost ??= notice(say("web.gone"), "error");
      await new Promise((after) => setTimeout(after, RETRY_MS[Math.min(failures, RETRY_MS.length - 1)]));
      failures += 1;
    }
  }

  take(event) {
    switch (event.type) {
      case "conversation_opened":
        if (event.conversation === this.id) this.show(event);
        break;
      case "message_added":
        if (event.conversation === this.id) this.addMessage(event.turn, event.message);
        break;
      case "packet_emitted":
        if (event.conversation === this.id) this.turn(event.turn).take(event.packet, event.number);
        break;
      case "partial_heard":
        if (event.conversation === this.id) this.turn(event.turn).hear(event.text);
        break;
      case "turn_withdrawn":
        this.turns.get(event.turn)?.remove();
        this.turns.delete(event.turn);
        break;
      case "messages_deleted":
        if (event.conversation === this.id) offerUndo(event);
        break;
      case "answer_interrupted":
        this.turns.get(event.turn)?.mark("interrupted");
        break;
      default:
    }
    this.listener(event);
    this.keepEnd();
  }

  /** Show the conversation anew, as the engine has it now. */
  async show(opened) {
    this.turns.clear();
    const box = byId("messages");
    box.replaceChildren();
    this.readStored(opened.messages);
    this.showBusy();
    byId("earlier").hidden = !opened.more;
    byId("agent").textContent = opened.agent?.title ?? "";
    this.first = opened.messages[0]?.id ?? "";
    await this.draw(opened.messages, (row) => box.append(row));
    const last = opened.messages.at(-1);
    if (last?.role === "assistant" && ["incomplete", "failed", "cancelled"].includes(last.completion)) {
      box.lastElementChild?.append(againButton(this));
    }
    const wanted = this.wanted && box.querySelector(`[data-message="${CSS.escape(this.wanted)}"]`);
    this.wanted = "";
    this.atEnd = !wanted;
    wanted ? wanted.scrollIntoView({ block: "center" }) : this.keepEnd();
  }

  /** Read what is stored of an answer that ended while nobody followed it. Of a turn that goes on, no answer is among the messages. */
  readStored(messages) {
    for (const [turn, reader] of this.readers) {
      const answers = messages.filter((each) => each.turn === turn && each.role === "assistant");
      if (!answers.length) continue;
      this.readers.delete(turn);
      reader?.follow(answers.map((each) => each.text).join(""));
      reader?.take(null);
    }
  }

  async loadEarlier() {
    const before = encodeURIComponent(this.first);
    const page = await ask("GET", `/v1/conversations/${this.id}/messages?before=${before}`);
    byId("earlier").hidden = !page.more;
    this.first = page.messages[0]?.id ?? this.first;
    const scroll = byId("scroll");
    const below = scroll.scrollHeight - scroll.scrollTop;
    const top = byId("messages").firstChild;
    await this.draw(page.messages, (row) => byId("messages").insertBefore(row, top));
    scroll.scrollTop = scroll.scrollHeight - below;
  }

  /** Make a row for each message, in order, and draw all answers with one request. */
  async draw(messages, place) {
    const texts = [];
    for (const message of messages) {
      const row = messageRow(message, texts, this);
      if (row) place(row);
    }
    try {
      await drawAll(texts);
    } catch {
      texts.forEach(({ text, into }) => { into.textContent = text; });
    }
  }

  addMessage(turn, message) {
    if (message.role === "user") {
      // A turn that goes on is told again from its beginning; its message may be shown as a stored one already.
      if (message.id) byId("messages").querySelector(`[data-message="${CSS.escape(message.id)}"]`)?.remove();
      this.turn(turn).showMessage(message);
    } else {
      this.draw([message], (row) => byId("messages").append(row)).then(() => this.keepEnd());
    }
  }

  turn(id) {
    if (!this.turns.has(id)) this.turns.set(id, new TurnView(id, this));
    return this.turns.get(id);
  }

  /** Send a message; `reader` takes the answer's text, then null. Returns whether it was taken. */
  async send(text, files = [], reader = null) {
    const turn = newId();
    try {
      if (!this.id) {
        const made = await ask("POST", "/v1/conversations", {});
        this.open(made.conversation);
        this.listener({ type: "conversation_made", conversation: this.id });
      }
      this.atEnd = true;
      const view = this.turn(turn);
      this.readers.set(turn, reader);
      if (reader) reader.turn = turn;
      view.showMessage({ role: "user", text, id: "", attachments: files });
      this.keepEnd();
      await ask("POST", `/v1/conversations/${this.id}/turns`, { turn, text, attachments: await attachments(files), aloud: false });
      return true;
    } catch (error) {
      this.readers.delete(turn);
      this.turns.get(turn)?.remove();
      this.turns.delete(turn);
      notice([error.message, error.refusal?.remedy].filter(Boolean).join(" "), "error");
      return false;
    }
  }

  async again() {
    const turn = newId();
    await ask("POST", `/v1/conversations/${this.id}/turns/again`, { turn }).catch((error) => notice(error.message, "error"));
  }

  stop() {
    for (const turn of this.running()) this.stopTurn(turn);
  }

  stopTurn(turn) {
    ask("POST", `/v1/turns/${turn}/stop`, {}).catch((error) => notice(error.message, "warning"));
  }

  /** The user spoke over an answer: it ends, and Sori knows from now on how much of it was heard. */
  async cutOff({ turn, heard }) {
    if (!this.turns.get(turn)?.runs) this.turns.get(turn)?.mark("interrupted");
    await ask("POST", `/v1/turns/${turn}/stop`, { heard }).catch((error) => notice(error.message, "warning"));
  }

  /** A message that waited was taken back. It returns to the page that has sent it. */
  takenBack(view) {
    this.readers.get(view.id)?.take(null);
    const own = this.readers.delete(view.id);
    view.remove();
    this.turns.delete(view.id);
    if (own) this.listener({ type: "taken_back", text: view.text });
    this.showBusy();
  }

  async remove(message) {
    await ask("DELETE", `/v1/conversations/${this.id}/messages/${message}`, {}).catch((error) => notice(error.message, "error"));
    focusInput();
  }

  /** The id of the message of a role that a turn has stored; the stream of a turn names none for its answer. */
  async stored(turn, role) {
    const { messages } = await ask("GET", `/v1/conversations/${this.id}/messages`);
    return messages.findLast((each) => each.turn === turn && each.role === role)?.id;
  }

  running() {
    return [...this.turns.values()].filter((turn) => turn.runs && !turn.waits).map((turn) => turn.id);
  }

  showBusy() {
    const busy = this.running().length > 0;
    byId("stop").hidden = !busy && !this.speaking;
    byId("messages").setAttribute("aria-busy", String(busy));
  }

  /** An answer is read aloud, or is not any more: while it is, it can be stopped. */
  showSpeaking(speaking) {
    this.speaking = speaking;
    this.showBusy();
  }

  keepEnd() {
    if (this.atEnd) byId("scroll").scrollTop = byId("scroll").scrollHeight;
  }
}

function offerUndo({ deletion, count }) {
  const undo = () => ask("POST", `/v1/deletions/${deletion}/restore`, {}).catch((error) => notice(error.message, "error"));
  const words = say(`desktop.deleted.${count === 1 ? "message" : "messages"}`, { count });
  notice(words, "info", { label: say("desktop.sidebar.undo"), run: undo });
}

function isAtEnd() {
  const scroll = byId("scroll");
  return scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 40;
}

/** The message and the answer of one turn. */
class TurnView {
  constructor(id, conversation) {
    this.id = id;
    this.conversation = conversation;
    this.runs = false;
    this.waits = false;
    this.text = "";
    this.told = "";
    this.last = 0;
    this.blocks = new Map();
    this.cards = new Map();
    this.citations = [];
    this.said = element("div", { className: "message user" });
    this.answer = element("div", { className: "message assistant" });
    this.status = element("p", { className: "hint" });
    byId("messages").append(this.said, this.answer);
    this.answer.append(this.status);
  }

  remove() {
    this.said.remove();
    this.answer.remove();
  }

  hear(text) {
    this.said.classList.add("heard");
    this.said.textContent = text;
  }

  showMessage(message) {
    this.said.classList.remove("heard");
    this.text = message.text;
    this.waits = this.waits && !message.id;
    this.said.replaceChildren(...userParts(message));
    if (message.id) this.said.append(deleteButton(message.text, () => this.conversation.remove(message.id)));
  }

  take(packet, number) {
    if (number && number <= this.last) return; // It was shown before the connection was lost.
    this.last = number || this.last;
    this.runs = packet.type !== "done";
    if (this.waits && packet.type === "done") {
      this.conversation.takenBack(this);
      return;
    }
    this.waits = packet.type === "status" && packet.status === "waits";
    this.status.textContent = "";
    switch (packet.type) {
      case "answer_delta":
        this.block(packet.turn_index, "answer").grow(packet.text);
        this.told += packet.text;
        this.conversation.readers.get(this.id)?.follow(this.told);
        break;
      case "cited":
        this.block(packet.turn_index, "answer").cite(packet.citation.number);
        this.citations.push(packet.citation);
        break;
      case "reasoning_delta":
        this.block(packet.turn_index, "reasoning").grow(packet.text);
        break;
      case "status":
        this.showStatus(packet);
        break;
      case "tool_call":
        this.answer.insertBefore(toolLine(packet), this.status);
        break;
      case "tool_result":
        this.showResult(packet);
        break;
      case "ask":
        this.showQuestion(packet);
        break;
      case "ask_shown":
        this.cards.get(packet.question)?.shown(packet.deadline);
        break;
      case "answered":
        this.cards.get(packet.question)?.settle(packet.outcome);
        break;
      case "page_offer":
        this.answer.insertBefore(pageOffer(packet), this.status);
        break;
      case "error":
        this.answer.insertBefore(failure(packet, this.conversation), this.status);
        break;
      case "done":
        this.finish(packet);
        break;
      default:
    }
    this.conversation.showBusy();
  }

  block(index, kind) {
    const key = `${kind} ${index}`;
    if (!this.blocks.has(key)) {
      const into = element("div", { className: "markdown" });
      const box = kind === "answer" ? into : folded(say("web.reasoning"), into);
      this.answer.insertBefore(box, this.status);
      this.blocks.set(key, new GrowingText(into, () => this.conversation.keepEnd()));
      this.blocks.get(key).box = box;
    }
    return this.blocks.get(key);
  }

  showStatus(packet) {
    if (packet.status === "were_thoughts") {
      // What was shown as the answer was reasoning; it follows as such.
      for (const [key, block] of this.blocks) {
        if (key.startsWith("answer ")) { block.box.remove(); this.blocks.delete(key); }
      }
      return;
    }
    this.status.textContent = packet.detail || say(`desktop.status.${packet.status}`, {}, "");
    if (this.waits) {
      const stop = () => this.conversation.stopTurn(this.id);
      this.status.append(" ", element("button", { type: "button", text: say("desktop.action.take_back"), on: { click: stop } }));
    }
  }

  showResult(packet) {
    const line = this.answer.querySelector(`[data-call="${CSS.escape(packet.id)}"]`) ?? toolLine(packet);
    if (!line.parentNode) this.answer.insertBefore(line, this.status);
    line.classList.toggle("failed", Boolean(packet.is_error));
    if (!packet.is_error) line.querySelector("summary").textContent = doneWords(packet.name);
    line.append(element("pre", { tabIndex: 0, text: visible(packet.text) }));
    line.after(...fileBoxes(packet.files));
  }

  showQuestion(packet) {
    const card = new QuestionCard(this.id, packet);
    this.cards.set(packet.question, card);
    this.answer.insertBefore(card.box, this.status);
  }

  mark(how) {
    this.answer.insertBefore(element("p", { className: "hint", text: say(`desktop.mark.${how}`) }), this.status);
  }

  async delete() {
    const message = await this.conversation.stored(this.id, "assistant");
    if (message) await this.conversation.remove(message);
  }

  finish(packet) {
    for (const block of this.blocks.values()) block.finish();
    if (["cancelled", "incomplete"].includes(packet.finish)) this.mark(packet.finish);
    const text = [...this.blocks].filter(([key]) => key.startsWith("answer ")).map(([, block]) => block.text).join("\n\n");
    if (this.citations.length) this.answer.append(sources(this.citations));
    if (text) this.answer.append(actions(text, this.conversation), deleteButton(text, () => this.delete()));
    announce(text);
    this.conversation.readers.get(this.id)?.take(null);
    this.conversation.readers.delete(this.id);
  }
}

/** The row of a stored message, or null for one that is not shown by itself. Answers are added to `texts`. */
function messageRow(message, texts, conversation) {
  const remove = deleteButton(message.text, () => conversation.remove(message.id));
  if (message.role === "user") {
    const row = element("div", { className: "message user" }, ...userParts(message), remove);
    row.dataset.message = message.id;
    return row;
  }
  const row = element("div", { className: "message assistant" });
  row.dataset.message = message.id;
  if (message.role === "tool") {
    row.append(folded(say("web.result"), element("pre", { tabIndex: 0, text: visible(message.text) })), ...fileBoxes(message.attachments));
    row.classList.toggle("failed", Boolean(message.error));
    return row;
  }
  if (message.reasoning) {
    const into = element("div", { className: "markdown" });
    texts.push({ text: message.reasoning, into });
    row.append(folded(say("web.reasoning"), into));
  }
  if (message.text) {
    const into = element("div", { className: "markdown" });
    texts.push({ text: message.text, into, cited: [...new Set((message.citations ?? []).map(({ number }) => number))] });
    row.append(into);
    if (message.citations?.length) row.append(sources(message.citations));
  }
  for (const use of message.tool_uses ?? []) row.append(toolLine(use));
  if (message.completion && message.completion !== "complete") {
    row.append(element("p", { className: "hint", text: say(`desktop.mark.${message.completion}`, {}, "") }));
  }
  if (!row.childNodes.length) return null;
  if (message.id) row.append(remove);
  return row;
}

function userParts(message) {
  return [element("div", { className: "said", text: message.text }), ...fileBoxes(message.attachments)];
}

function folded(title, content) {
  return element("details", {}, element("summary", { text: title }), content);
}

function toolLine({ id, name, arguments: given }) {
  const title = toolTitle(name);
  const line = folded(title, element("pre", { tabIndex: 0, text: visible(JSON.stringify(given ?? {}, null, 1)) }));
  line.className = "tool";
  line.dataset.call = id ?? "";
  return line;
}

function failure(packet, conversation) {
  const box = element("div", { className: "failure", role: "alert" }, element("span", { text: packet.message }));
  if (packet.retryable || packet.offers?.includes("retry")) {
    box.append(againButton(conversation));
  }
  return box;
}

/* The place that an answer names: the pages are in the window, so here is its title and the command. */
function pageOffer(packet) {
  const box = element("div", { className: "offer" }, element("span", { text: packet.title }));
  if (packet.command) box.append(" ", element("code", { text: packet.command }));
  return box;
}

function actions(text, conversation) {
  const copy = element("button", { type: "button", text: say("desktop.action.copy") });
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    copy.textContent = say("desktop.action.copied");
    announce(copy.textContent);
  });
  return element("div", { className: "actions" }, copy, againButton(conversation));
}

function deleteButton(text, remove) {
  const title = say("desktop.action.delete_message");
  return element("button", { type: "button", className: "delete", title, ariaLabel: `${title}: ${text.slice(0, 40)}`, on: { click: remove } });
}

function againButton(conversation) {
  return element("button", { type: "button", text: say("web.again"), on: { click: () => conversation.again() } });
}
