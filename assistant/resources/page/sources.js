// The sources of an answer: the cited passages, each highlighted in its file.

import { ask } from "./api.js";
import { element, say, visible } from "./words.js";

const AROUND = 20000; // Characters of a long file that are shown before and after a passage.

/** The sources of an answer, each passage once. */
export function sources(citations) {
  const box = element("div", { className: "sources", ariaLabel: say("web.sources") }, element("p", { className: "hint", text: say("web.sources") }));
  const made = new Map();
  for (const each of citations) {
    const key = `${each.number} ${each.passage}`;
    if (!made.has(key)) { made.set(key, source(each)); box.append(made.get(key)); }
    // A file that was sent whole is cited anew at each place of its number, in the order of the text.
    made.get(key).places.push(citations.filter(({ number }) => number === each.number).indexOf(each));
  }
  return box;
}

/** Show the passage of a citation that was pressed. */
export function openSource(chip) {
  const message = chip.closest(".message");
  const places = [...message.querySelectorAll(`.cite[data-cites="${chip.dataset.cites}"]`)];
  const fitting = [...message.querySelectorAll(`[data-source="${chip.dataset.cites}"]`)];
  const shown = fitting.find((each) => each.places.includes(places.indexOf(chip))) ?? fitting.at(0);
  if (!shown) return;
  for (const each of shown.parentNode.children) each.classList.toggle("shown", each === shown);
  shown.open = true;
  shown.scrollIntoView({ block: "nearest" });
  shown.querySelector("summary").focus();
}

/** A passage as the model was sent it. When it is opened, its file is shown around it. */
function source(cited) {
  const page = cited.page ? ` · ${say("web.source_page", { page: cited.page })}` : "";
  const name = `[${cited.number}] ${visible(cited.title || cited.url)}${page}`;
  const text = element("blockquote", { tabIndex: 0, ariaLabel: say("desktop.source.text"), text: visible(cited.text) });
  const box = element("details", {}, element("summary", { text: name }));
  if (/^https?:/.test(cited.url)) box.append(element("a", { href: cited.url, text: visible(cited.url), rel: "noopener noreferrer", target: "_blank" }));
  box.append(text);
  box.dataset.source = cited.number;
  box.places = [];
  if (cited.file) {
    box.addEventListener("toggle", () => {
      if (!box.open || box.asked) return;
      box.asked = true;
      showFile(text, cited).catch(() => { box.asked = false; }); // The passage stays.
    });
  }
  return box;
}

async function showFile(into, cited) {
  let whole = "";
  try {
    ({ text: whole } = await ask("GET", `/v1/project-files/${encodeURIComponent(cited.file)}`));
  } catch (error) {
    if (!error.refusal) throw error;
    into.before(element("p", { className: "hint", role: "status", text: say("desktop.source.gone") }));
    return;
  }
  const begin = cited.text ? whole.indexOf(cited.text) : -1;
  if (begin < 0) {
    into.before(element("p", { className: "hint", role: "status", text: say("desktop.source.changed") }));
    return;
  }
  const end = begin + cited.text.length;
  const mark = element("mark", { text: visible(cited.text) });
  into.replaceChildren(visible(whole.slice(Math.max(0, begin - AROUND), begin)), mark, visible(whole.slice(end, end + AROUND)));
  into.scrollTop = mark.offsetTop - into.offsetTop - into.clientHeight / 3;
}
