// The page: signs in, and connects the list, the conversation, the input and the voice.

import { signIn, signOut } from "./api.js";
import { Conversation } from "./conversation.js";
import { Outgoing } from "./files.js";
import { FlowBar } from "./flow.js";
import { canListen } from "./microphone.js";
import { ProjectChoice } from "./projects.js";
import { Sidebar } from "./sidebar.js";
import { Talk } from "./talk.js";
import { composes, focusInput, loadWords, notice, say } from "./words.js";

const byId = (id) => document.getElementById(id);
const narrow = matchMedia("(max-width: 720px)"); // As in style.css.

function label(id, words) {
  byId(id).setAttribute("aria-label", words);
  byId(id).title = words;
}

/** Show what has to be done to come in: usually by another link, which the browser may open in this page. */
function showDoor(words) {
  byId("app").hidden = true;
  byId("door").hidden = false;
  byId("door-text").textContent = words;
  addEventListener("hashchange", () => location.reload());
}

/** Only a phone comes over TLS, and it comes in by a QR code. */
function doorWords(name) {
  return say(`web.${location.protocol === "https:" ? `phone_${name}` : name}`);
}

async function start() {
  document.documentElement.lang = await loadWords();
  let signedIn = false;
  try {
    signedIn = await signIn();
  } catch (error) {
    showDoor(error.message);
    return;
  }
  if (!signedIn) {
    showDoor(doorWords("door"));
    return;
  }
  byId("app").hidden = false;
  new Page();
}

class Page {
  constructor() {
    this.words();
    this.sidebar = new Sidebar((id, message) => this.open(id, message));
    this.conversation = new Conversation((event) => this.take(event));
    this.projects = new ProjectChoice(byId("project"), byId("project-files"));
    this.flow = new FlowBar(byId("flow"), (text) => this.conversation.send(text));
    this.talk = new Talk(byId("talk"), byId("talking"), {
      answer: (text, reader) => this.conversation.send(text, [], reader),
      stop: (cut) => this.conversation.cutOff(cut),
      speaking: (speaking) => this.conversation.showSpeaking(speaking),
      draft: (text) => this.draft(text),
      refused: (error) => this.refused(error),
    });
    this.outgoing = new Outgoing(byId("outgoing"), byId("files"), byId("attach"), byId("text"), document.body, () => this.conversation?.id ?? "");
    byId("new").addEventListener("click", () => this.open(""));
    byId("stop").addEventListener("click", () => this.stop());
    byId("fold").addEventListener("click", () => this.fold(!document.body.classList.contains("folded")));
    byId("composer").addEventListener("submit", (event) => { event.preventDefault(); this.send(); });
    byId("text").addEventListener("keydown", (event) => this.key(event));
    byId("text").addEventListener("input", fitText);
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") this.stop(); });
    byId("talk").hidden = !canListen();
    byId("scroll").addEventListener("click", ({ target }) => { if (this.talk.speaks && !target.closest("button, a, summary, input")) this.stop(); });
    narrow.addEventListener("change", () => this.fold(narrow.matches));
    visualViewport.addEventListener("resize", () => this.fitScreen());
    addEventListener("hashchange", () => this.openByAddress());
    this.sidebar.refresh().then(() => this.openByAddress(), (error) => this.refused(error));
  }

  words() {
    label("search", say("desktop.sidebar.search"));
    byId("search").placeholder = say("desktop.sidebar.search");
    label("new", say("web.new"));
    label("fold", say("desktop.sidebar.name"));
    byId("side").setAttribute("aria-label", say("desktop.sidebar.name"));
    byId("text").placeholder = say("web.placeholder");
    label("text", say("web.placeholder"));
    label("send", say("web.send"));
    label("stop", say("web.stop"));
    byId("project-files").querySelector("summary").textContent = say("web.project.files");
    byId("earlier").textContent = say("web.earlier");
    byId("messages").setAttribute("aria-label", say("web.messages"));
  }

  /** Stay above the keyboard of a touch screen: it is laid over the page, and Safari moves the page up. */
  fitScreen() {
    if (visualViewport.scale > 1) return; // The user has enlarged a part.
    byId("app").style.height = `${visualViewport.height}px`;
    scrollTo(0, 0);
    this.conversation.keepEnd();
  }

  fold(folded) {
    document.body.classList.toggle("folded", folded);
    byId("fold").setAttribute("aria-expanded", String(!folded));
  }

  openByAddress() {
    const id = new URLSearchParams(location.hash.slice(1)).get("c") ?? "";
    if (id !== this.conversation.id || !this.opened) this.open(id);
  }

  open(id, message = "") {
    if (this.opened) this.talk.silence(); // Who talks before the first list has come goes on.
    this.opened = true;
    if (narrow.matches) this.fold(true);
    history.replaceState(null, "", id ? `#c=${encodeURIComponent(id)}` : location.pathname);
    this.conversation.open(id, message);
    this.showTitle();
    this.showProject();
    this.flow.open("");
    if (this.talk.state === "off") focusInput();
  }

  showProject() {
    this.projects.show(this.conversation.id).catch(() => {}); // Without an answer no project is shown.
  }

  showTitle() {
    const { id } = this.conversation;
    this.sidebar.show(id);
    byId("title").textContent = id ? this.sidebar.title(id) : say("desktop.empty.title");
    document.title = id ? `${this.sidebar.title(id)} · Sori` : "Sori";
  }

  take(event) {
    switch (event.type) {
      case "conversation_made":
        history.replaceState(null, "", `#c=${encodeURIComponent(event.conversation)}`);
        this.showTitle();
        this.showProject();
        break;
      case "project_chosen":
        if (event.conversation === this.conversation.id) this.showProject();
        break;
      case "flow_changed":
        this.flow.take(event);
        break;
      case "taken_back":
        this.draft(event.text);
        break;
      case "followed": // What of the list has changed before is told to nobody; marks of before may be of an engine that has gone.
        this.sidebar.forgetMarks();
        this.sidebar.later(0);
        this.flow.open(this.conversation.id).catch(() => {}); // Without an answer no flow is shown.
        break;
      case "conversations_changed":
      case "conversation_deleted":
        this.sidebar.refresh().then(() => this.showTitle(), () => {});
        break;
      case "conversation_marked":
        this.sidebar.mark(event.conversation, event.mark);
        break;
      case "notice_posted":
        notice(say(event.key, event.values), event.severity);
        break;
      case "memory_changed":
        notice(say(`memory.notice.${event.change.former ? "changed" : event.change.removed ? "forgot" : event.change.scope}`, { fact: event.change.text, former: event.change.former }));
        break;
      case "refused":
        this.refused(event.error);
        break;
      default:
    }
  }

  /** What was said or typed comes back to the input field. */
  draft(text) {
    byId("text").value = [text, byId("text").value].filter(Boolean).join("\n\n");
    fitText();
  }

  refused(error) {
    if (error.status === 401) {
      this.talk.silence();
      signOut();
      showDoor(doorWords("signed_out"));
    } else {
      notice(error.message, "error");
      if (error.status === 404) this.open("");
    }
  }

  key(event) {
    // While Hangul is composed, Enter ends the syllable and sends nothing.
    if (event.key === "Enter" && !event.shiftKey && !composes(event)) {
      event.preventDefault();
      this.send();
    }
  }

  async send() {
    const field = byId("text");
    const text = field.value.trim();
    const files = this.outgoing.take();
    if (!text && !files.length) return;
    field.value = "";
    fitText();
    if (await this.conversation.send(text, files)) return;
    this.outgoing.giveBack(files); // What was refused is not lost.
    if (!field.value) field.value = text;
    fitText();
  }

  stop() {
    this.talk.stop();
    this.conversation.stop();
  }
}

function fitText() {
  const field = byId("text");
  field.style.height = "auto";
  const edges = field.offsetHeight - field.clientHeight;  // The height is that of the box with its border.
  field.style.height = `${Math.min(field.scrollHeight + edges, innerHeight / 3)}px`;
}

start();
