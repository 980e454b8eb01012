// The project that a conversation is about: its choice, and its files with how far Sori is with them.

import { ask } from "./api.js";
import { element, notice, say, visible } from "./words.js";

const MOST_FILES = 200;

/** Shows the project of the open conversation; hidden where there is no project or no conversation. */
export class ProjectChoice {
  constructor(choice, files) {
    [this.choice, this.files, this.conversation] = [choice, files, ""];
    choice.setAttribute("aria-label", say("web.project.choose"));
    choice.addEventListener("change", () => this.choose().catch((error) => { notice(error.message, "error"); this.show(this.conversation); }));
    files.addEventListener("toggle", () => { if (files.open) this.list().catch((error) => notice(error.message, "warning")); });
  }

  async show(conversation) {
    this.conversation = conversation;
    this.choice.hidden = this.files.hidden = true;
    this.files.open = false;
    const showing = (this.showing = Symbol("showing"));
    if (!conversation) return;
    const [{ projects }, { project }] = await Promise.all([ask("GET", "/v1/projects"), ask("GET", `/v1/conversations/${conversation}/project`)]);
    if (showing !== this.showing) return;
    this.choice.replaceChildren(...[{ id: "", name: say("web.project.none") }, ...projects].map(({ id, name }) => element("option", { value: id, text: visible(name) })));
    this.choice.value = project?.id ?? "";
    this.choice.hidden = !projects.length;
    this.files.hidden = !project;
  }

  async choose() {
    await ask("PUT", `/v1/conversations/${this.conversation}/project`, { project: this.choice.value });
    await this.show(this.conversation);
  }

  async list() {
    const { files } = await ask("GET", `/v1/projects/${encodeURIComponent(this.choice.value)}/files?limit=${MOST_FILES}`);
    this.files.querySelector("ul").replaceChildren(...files.map((file) => element("li", { text: `${visible(file.name)} · ${stateOf(file)}` })));
  }
}

/** How far a file is, or why it has no text. */
function stateOf({ state, reason, detail }) {
  return reason ? say(`file_reason.${reason}`, { detail: visible(detail) }) : say(`file_state.${state}`);
}
