// The list of conversations: search, names, deleting.

import { ask } from "./api.js";
import { composes, element, notice, say } from "./words.js";

const SEARCH_MS = 200;

/** Lists the conversations; `open` is called with the one that the user chooses. */
export class Sidebar {
  constructor(open) {
    this.open = open;
    this.list = document.getElementById("conversations");
    this.search = document.getElementById("search");
    this.current = "";
    this.marks = new Map();
    this.naming = false;
    this.titles = new Map();
    this.search.addEventListener("input", () => this.later());
  }

  later(wait = SEARCH_MS) {
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.refresh().catch((error) => notice(error.message, "warning")), wait);
  }

  async refresh() {
    if (this.naming) return; // The list is read again when the name is typed.
    const query = this.search.value.trim();
    const reading = (this.reading = Symbol("reading"));
    const { conversations } = await ask("GET", `/v1/conversations?query=${encodeURIComponent(query)}&limit=200`);
    if (reading !== this.reading || query !== this.search.value.trim() || this.naming) return; // There is something newer.
    this.titles = new Map(conversations.map((each) => [each.id, each.title]));
    this.list.replaceChildren(...conversations.map((each) => this.row(each)));
    if (!conversations.length) {
      this.list.append(element("li", { className: "hint", text: say(query ? "desktop.sidebar.found_none" : "desktop.sidebar.none") }));
    }
    return conversations;
  }

  title(conversation) {
    return this.titles.get(conversation) || say("desktop.sidebar.untitled");
  }

  show(conversation) {
    this.current = conversation;
    for (const row of this.list.children) row.querySelector("button")?.setAttribute("aria-current", String(row.dataset.id === conversation));
  }

  mark(conversation, mark) {
    this.marks.set(conversation, mark);
    const row = this.list.querySelector(`[data-id="${CSS.escape(conversation)}"] .mark`);
    if (row) row.textContent = markWords(mark);
  }

  forgetMarks() {
    for (const conversation of this.marks.keys()) this.mark(conversation, "none");
  }

  row(entry) {
    const title = entry.title || say("desktop.sidebar.untitled");
    const opens = element("button", { type: "button", className: "entry", on: { click: () => this.open(entry.id, entry.message) } },
      element("span", { text: title }), element("span", { className: "mark", text: markWords(this.marks.get(entry.id)) }));
    opens.setAttribute("aria-current", String(entry.id === this.current));
    if (entry.passage?.text) opens.append(passage(entry.passage));
    const rename = element("button", { type: "button", className: "quiet", text: "✎", ariaLabel: `${say("desktop.sidebar.rename")}: ${title}`, on: { click: () => this.rename(row, entry) } });
    const remove = element("button", { type: "button", className: "quiet", text: "×", ariaLabel: `${say("desktop.sidebar.delete")}: ${title}`, on: { click: () => this.remove(entry, title) } });
    const row = element("li", {}, opens, rename, remove);
    row.dataset.id = entry.id;
    return row;
  }

  rename(row, entry) {
    const field = element("input", { type: "text", value: entry.title, ariaLabel: say("desktop.sidebar.rename_field") });
    let over = false;
    const end = async (keep) => {
      if (over) return;
      over = true;
      this.naming = false;
      if (keep) await ask("PATCH", `/v1/conversations/${entry.id}`, { title: field.value }).catch((error) => notice(error.message, "error"));
      this.later(0);
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !composes(event)) end(true);
      if (event.key === "Escape") end(false);
    });
    field.addEventListener("blur", () => end(true));
    this.naming = true;
    row.replaceChildren(field);
    field.select();
  }

  async remove(entry, title) {
    try {
      await ask("DELETE", `/v1/conversations/${entry.id}`);
    } catch (error) {
      notice(error.message, "error");
      return;
    }
    const restore = () => ask("POST", `/v1/conversations/${entry.id}/restore`, {}).then(() => this.later(0), (error) => notice(error.message, "error"));
    notice(say("desktop.sidebar.deleted", { title }), "info", { label: say("desktop.sidebar.undo"), run: restore });
    if (entry.id === this.current) this.open("");
    this.later(0);
  }
}

function markWords(mark) {
  return mark && mark !== "none" ? say(`desktop.sidebar.mark.${mark}`) : "";
}

function passage({ text, marks }) {
  const line = element("span", { className: "passage" });
  const signs = [...text]; // Sori counts characters, not halves of them.
  let at = 0;
  for (const [start, end] of marks ?? []) {
    line.append(signs.slice(at, start).join(""), element("mark", { text: signs.slice(start, end).join("") }));
    at = end;
  }
  line.append(signs.slice(at).join(""));
  return line;
}
