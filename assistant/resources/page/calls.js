// Calls of tools as a person reads them, as in assistant/core/display/calls.py.

import { say, visible } from "./words.js";

/** A tool's name in the user's language. A tool of a server has its own name, without the server's. */
export function toolTitle(tool, server = "") {
  const plain = server.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "");
  const own = tool.startsWith("mcp_") ? tool.slice(4).replace(new RegExp(`^${plain}_`), "") : tool;
  return say(`tool.name.${tool}`, {}, say(`tool.step.${tool}`, {}, visible(own.replace(/[_.]/g, " "))));
}

/** What a call has done, in the user's language. */
export function doneWords(tool) {
  return say(`tool.did.${tool}`, {}, say("tool.used", { tool: toolTitle(tool) }));
}

/** What an argument is; its own name where it is unknown. */
export function argumentLabel(tool, name) {
  const plain = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase().replace(/-/g, "_");
  return say(`tool.argument.${tool}_${name}`, {}, say(`tool.argument.${plain}`, {}, visible(name.replace(/_/g, " "))));
}

/** A value in words: lists by lines, an object by its fields. */
export function valueWords(tool, value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return say(value ? "tool.yes" : "tool.no");
  if (Number.isInteger(value)) return grouped(value);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) {
    return value.every((each) => typeof each !== "object") ? value.map((each) => valueWords(tool, each)).join("\n") : JSON.stringify(value);
  }
  return Object.entries(value).map(([name, each]) => `${argumentLabel(tool, name)}: ${valueWords(tool, each)}`).join("\n");
}

/** A whole number whose thousands are set apart from 10,000 on, because people count the zeros of an amount. */
function grouped(value) {
  const digits = String(value);
  return Math.abs(value) < 10000 ? digits : digits.replace(/\B(?=(\d{3})+$)/g, ",");
}
