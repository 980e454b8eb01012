// The HTTP API of Sori: requests with the page's token, and streams of events.

const TOKEN = "sori.token";
const SILENT_MS = 40000; // Sori sends a sign of life every 15 s.
const LOOK_MS = 2000;

/** The engine or the door has refused a request; `refusal` has code, reason, message, remedy and retryable. */
export class Refused extends Error {
  constructor(status, refusal) {
    super(refusal.message);
    this.status = status;
    this.refusal = refusal;
  }
}

/** Exchange the code of a link of `sori web` or of a QR code for a token. Returns whether the page has a token. */
export async function signIn() {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code) {
    history.replaceState(null, "", location.pathname);
    const signed = await send("POST", "/v1/session", { code });
    localStorage.setItem(TOKEN, (await signed.json()).token);
  }
  return localStorage.getItem(TOKEN) !== null || (location.protocol === "https:" && hasCookie());
}

/** Whether Sori still knows this phone by its cookie: Safari keeps a cookie for longer than what the page has stored. */
function hasCookie() {
  return ask("GET", "/v1/conversations?limit=1").then(() => true, (error) => {
    if (error.status === 401) return false;
    throw error;
  });
}

/** Forget the token, which Sori does not know any more. */
export function signOut() {
  localStorage.removeItem(TOKEN);
}

/** Send a request; returns what the answer holds, or null for nothing. */
export async function ask(method, path, body, signal) {
  const answer = await send(method, path, body, signal);
  return answer.status === 204 ? null : answer.json();
}

/** Send a request and return its whole response. `body` is sent as JSON unless it is form data. */
export async function send(method, path, body, signal) {
  const headers = {};
  const token = localStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  const form = body instanceof FormData;
  if (body !== undefined && !form) headers["Content-Type"] = "application/json";
  const sent = body === undefined || form ? body : JSON.stringify(body);
  const answer = await fetch(path, { method, headers, body: sent, signal });
  if (!answer.ok) throw new Refused(answer.status, await refusalOf(answer));
  return answer;
}

async function refusalOf(answer) {
  const told = await answer.json().catch(() => ({}));
  return told.error ?? told.refusal ?? { code: "internal", reason: "failed", message: answer.statusText };
}

/** The events of an address, one after another, until the stream ends, or Sori is silent: a phone that slept is told of no end. */
export async function* events(path, signal) {
  const answer = await send("GET", path, undefined, signal);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let heard = Date.now();
  const watch = setInterval(() => { if (Date.now() - heard > SILENT_MS) reader.cancel().catch(() => {}); }, LOOK_MS);
  let waiting = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      heard = Date.now();
      waiting += value;
      const parts = waiting.split("\n\n");
      waiting = parts.pop();
      for (const part of parts) {
        const data = part.split("\n").filter((line) => line.startsWith("data: "));
        if (data.length) yield JSON.parse(data.map((line) => line.slice(6)).join("\n"));
      }
    }
  } finally {
    clearInterval(watch);
  }
}

/** A UUID of version 7, which names a turn. */
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  let time = Date.now();
  for (let at = 5; at >= 0; at -= 1, time = Math.floor(time / 256)) bytes[at] = time % 256;
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
