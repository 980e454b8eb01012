// The bar above the composer while a guided flow goes on: where it stands, what a click answers, later, end.

import { ask } from "./api.js";
import { element, focusInput, notice, say, visible } from "./words.js";

/** The bar of a conversation's flow; `send` sends the text of a button as the user's message. */
export class FlowBar {
  constructor(box, send) {
    this.box = box;
    this.send = send;
    this.conversation = "";
    this.box.setAttribute("aria-label", say("flow.bar"));
  }

  /** Show the flow of a conversation as the engine has it now. */
  async open(conversation) {
    this.conversation = conversation;
    const changes = (this.changes = {});
    if (!conversation) return this.show(null);
    const { flow } = await ask("GET", `/v1/conversations/${conversation}/flow`);
    if (changes === this.changes) this.show(flow); // Else something newer has been shown.
  }

  /** Show a change of a flow. */
  take({ conversation, flow }) {
    if (conversation !== this.conversation) return;
    this.changes = {};
    this.show(flow);
  }

  show(flow) {
    const within = this.box.contains(document.activeElement);
    this.box.hidden = !flow;
    this.box.replaceChildren(...(flow ? this.parts(flow) : []));
    if (within) focusInput(); // What was clicked is gone.
  }

  parts(flow) {
    const button = (text, run, className = "", title = "") => element("button", { type: "button", text, className, title, on: { click: run } });
    const answers = flow.buttons.map(({ label, text }, at) => button(visible(label), () => this.send(text), at ? "" : "primary"));
    const later = button(say("flow.later"), () => this.ask("POST", "/leave", {}), "quiet", say("flow.later_hint"));
    const end = button("×", () => this.ask("DELETE", ""), "quiet", say("flow.end"));
    end.ariaLabel = say("flow.end");
    return [element("span", { text: line(flow) }), ...answers, ...(flow.parked ? [] : [later]), end];
  }

  ask(method, path, body) {
    ask(method, `/v1/conversations/${this.conversation}/flow${path}`, body).catch((error) => notice(error.message, "warning"));
  }
}

/** The flow, its stage and its progress, as in assistant/core/display/flows.py. */
function line(flow) {
  const progress = flow.total > 1 ? `${flow.done}/${flow.total}` : "";
  const title = flow.title.charAt(0).toUpperCase() + flow.title.slice(1);
  return [title, flow.stage, progress].filter(Boolean).map(visible).join(" · ");
}
