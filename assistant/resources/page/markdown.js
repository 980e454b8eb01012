// Draws Markdown. Sori makes the HTML, in which every character of the text is escaped; this puts it into the page.

import { ask } from "./api.js";

const MOST_CHARACTERS = 100000;

/** Draw finished texts into elements, with as few requests as Sori takes. */
export async function drawAll(wanted) {
  for (let at = 0, end; at < wanted.length; at = end) {
    let length = wanted[at].text.length;
    for (end = at + 1; end < wanted.length && length + wanted[end].text.length <= MOST_CHARACTERS; end += 1) length += wanted[end].text.length;
    const part = wanted.slice(at, end);
    const drawn = await ask("POST", "/v1/page/markdown", { texts: part.map(({ text, cited = [] }) => ({ text, cited })) });
    part.forEach(({ into }, index) => replaceFrom(into, 0, drawn.texts[index].units));
  }
}

/** A text that grows. One request is under way at a time; what arrives meanwhile is drawn by the next one. */
export class GrowingText {
  constructor(into, onDrawn) {
    this.into = into;
    this.onDrawn = onDrawn;
    this.text = "";
    this.cited = [];
    this.over = false;
    this.from = { units: 0, line: 0, number: null, head: "" };
    this.drawing = false;
    this.stale = false;
  }

  /** Take a number that is a citation. */
  cite(number) {
    if (!this.cited.includes(number)) this.cited.push(number);
  }

  grow(text) {
    this.text += text;
    this.draw();
  }

  finish() {
    this.over = true;
    this.from = { units: 0, line: 0, number: null, head: "" };
    this.draw();
  }

  async draw() {
    this.stale = true;
    if (this.drawing) return;
    this.drawing = true;
    try {
      while (this.stale) {
        this.stale = false;
        await this.drawOnce();
      }
    } catch {
      this.into.textContent = this.text; // Sori is gone; the text stays readable.
    } finally {
      this.drawing = false;
    }
  }

  async drawOnce() {
    const { units, line, number, head } = this.from;
    const over = this.over;
    const rest = this.text.split("\n").slice(line).join("\n");
    const { texts } = await ask("POST", "/v1/page/markdown", { texts: [{ text: rest, grows: !over, number, head, cited: this.cited }] });
    const [drawn] = texts;
    replaceFrom(this.into, units, drawn.units);
    this.onDrawn();
    if (!over && this.over === over && drawn.open_from) {
      this.from = { units: units + drawn.open_from, line: line + drawn.open_line, number: drawn.number, head: drawn.head };
    }
  }
}

/** Put elements in place of those from an index on; elements that stay as they are stay in the page. */
function replaceFrom(into, start, units) {
  units.forEach((html, at) => {
    const there = into.children[start + at];
    if (there?.dataset.html === html) return;
    const box = document.createElement("template");
    box.innerHTML = html;
    const made = box.content.firstElementChild;
    made.dataset.html = html;
    if (there) there.replaceWith(made);
    else into.append(made);
  });
  while (into.children.length > start + units.length) into.lastElementChild.remove();
}
