// Files: those of messages, which Sori sends on demand, and those that the user is about to send.

import { ask, send } from "./api.js";
import { element, notice, say } from "./words.js";

const PICTURE = /^image\/(png|jpeg|gif|webp|avif|bmp)$/;
const SOUND = /^audio\/(wav|mpeg|ogg|flac|mp4|webm)$/;
const MOST_BYTES = 20 * 1024 * 1024; // One request holds them in base64, and the door takes 32 MB.
const HEAD_BYTES = 64 * 1024; // What decides whether a model can read a file.
const TRIES_MS = [0, 400, 1000]; // A file that a tool has just made is stored within a moment.

export function sizeWords(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  return bytes < 1024 * 1024 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** Elements for the files of a message: pictures and sounds at once, others to save. */
export function fileBoxes(files) {
  return (files ?? []).map((file) => {
    const address = file.data ? "" : file.reference;
    const box = element("figure", { className: "file" });
    const title = `${file.name} · ${sizeWords(file.size)}`;
    if (!address) {
      box.append(element("span", { text: title }));
      return box;
    }
    const save = element("button", { type: "button", className: "save", text: title, title: say("web.file.save"), ariaLabel: `${say("web.file.save")}: ${title}` });
    save.addEventListener("click", () => saveFile(file).catch((error) => notice(error.message, "error")));
    box.append(save);
    if (PICTURE.test(file.mime_type)) whenSeen(box, () => show(box, file, "img"));
    if (SOUND.test(file.mime_type)) whenSeen(box, () => show(box, file, "audio"));
    return box;
  });
}

async function bytesOf(file) {
  for (const [at, wait] of TRIES_MS.entries()) {
    await new Promise((after) => setTimeout(after, wait));
    try {
      return await (await send("GET", `/v1/files/${file.reference.split("/").map(encodeURIComponent).join("/")}`)).blob();
    } catch (error) {
      if (error.status !== 404 || at === TRIES_MS.length - 1) throw error;
    }
  }
}

async function show(box, file, tag) {
  try {
    const address = URL.createObjectURL(await bytesOf(file));
    const shown = element(tag, { src: address, alt: file.name });
    if (tag === "audio") shown.controls = true;
    else shown.addEventListener("load", () => URL.revokeObjectURL(address));
    shown.addEventListener("error", () => shown.remove());
    box.prepend(shown);
  } catch {
    // The name stays, and saving it tells why it fails.
  }
}

async function saveFile(file) {
  // A type that no browser opens: what a tool or a message calls its file is not to be trusted.
  const address = URL.createObjectURL(new Blob([await bytesOf(file)], { type: "application/octet-stream" }));
  element("a", { href: address, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
}

function whenSeen(box, begin) {
  const watch = new IntersectionObserver((seen) => {
    if (!seen.some((each) => each.isIntersecting)) return;
    watch.disconnect();
    begin();
  });
  watch.observe(box);
}

/** The files that go with the next message: chosen, dropped or pasted. */
export class Outgoing {
  constructor(bar, input, button, field, area, conversation) {
    this.bar = bar;
    this.conversation = conversation;
    this.files = [];
    this.asked = new WeakMap();
    button.title = say("web.file.attach", { limit: sizeWords(MOST_BYTES) });
    button.setAttribute("aria-label", button.title);
    button.addEventListener("click", () => input.click());
    input.addEventListener("change", () => { this.add(input.files); input.value = ""; });
    field.addEventListener("paste", (event) => {
      if (!event.clipboardData.files.length) return;
      event.preventDefault();
      this.add(event.clipboardData.files);
    });
    area.addEventListener("dragover", (event) => { if (event.dataTransfer.types.includes("Files")) event.preventDefault(); });
    area.addEventListener("drop", (event) => {
      if (!event.dataTransfer.files.length) return;
      event.preventDefault();
      this.add(event.dataTransfer.files);
    });
  }

  add(files) {
    for (const file of files) {
      const total = this.files.reduce((sum, each) => sum + each.size, file.size);
      if (total > MOST_BYTES) notice(say("web.file.too_large", { name: file.name, limit: sizeWords(MOST_BYTES) }), "warning");
      else this.files = [...this.files, file];
    }
    this.draw();
  }

  /** Take the files away, to be sent. */
  take() {
    const files = this.files;
    this.files = [];
    this.draw();
    return files;
  }

  /** Give back what was not sent. */
  giveBack(files) {
    this.files = [...files, ...this.files];
    this.draw();
  }

  draw() {
    this.bar.replaceChildren(...this.files.map((file) => {
      const title = `${file.name} · ${sizeWords(file.size)}`;
      const remove = element("button", { type: "button", className: "quiet", text: "×", ariaLabel: `${say("web.file.remove")}: ${title}` });
      remove.addEventListener("click", () => { this.files = this.files.filter((each) => each !== file); this.draw(); });
      return element("span", { className: "file" }, title, remove);
    }));
    this.files.forEach((file, at) => this.prepare(file, this.bar.children[at]));
    this.check().catch(() => {}); // Without an answer the files are judged when they are sent.
  }

  /** Mark the files that the model would not get, as the engine says. */
  async check() {
    const files = this.files;
    if (!files.length) return;
    const heads = await Promise.all(files.map(async (file) => ({
      name: file.name, mime_type: file.type || "application/octet-stream", size: file.size,
      head: await base64(file.slice(0, HEAD_BYTES)),
    })));
    const { warnings } = await ask("POST", "/v1/files/check", { conversation: this.conversation(), files: heads });
    if (files !== this.files) return;
    [...this.bar.children].forEach((box, at) => {
      if (warnings[at]) warn(box, warnings[at]);
    });
  }

  /** Have Sori read a file's text, and tell its tokens, or why it has none, before it is sent. */
  prepare(file, box) {
    if (/^(image|audio|video)\//.test(file.type)) return;
    const line = element("small", { className: "read", text: say("web.file.reading") });
    box.append(line);
    this.prepared(file).then(({ tokens, notes, failure }) => {
      const told = tokens ? [say("desktop.attach.tokens", { tokens: tokens.toLocaleString() })] : [];
      line.textContent = [...told, ...notes].join(" · ");
      if (failure) warn(box, failure);
    }).catch((error) => warn(box, { message: error.message, remedy: error.refusal?.remedy ?? "" }));
  }

  /** What Sori has read of a file. It is sent once for each conversation, whose model counts the tokens. */
  prepared(file) {
    const conversation = this.conversation();
    const known = this.asked.get(file);
    if (known?.conversation === conversation) return known.answer;
    const answer = attachments([file]).then(([sent]) => ask("POST", "/v1/files/prepare", { conversation, file: sent }));
    this.asked.set(file, { conversation, answer });
    return answer;
  }
}

function warn(box, { message, remedy }) {
  box.classList.add("warns");
  box.querySelectorAll("small").forEach((each) => each.remove());
  box.append(element("small", { role: "alert", text: `${message} ${remedy}` }));
}

/** Files in the form of a message's attachments. */
export function attachments(files) {
  return Promise.all(files.map(async (file) => ({
    name: file.name, mime_type: file.type || "application/octet-stream", data: await base64(file),
  })));
}

function base64(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.split(",")[1] ?? ""); // An empty file is "data:" alone.
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
}
