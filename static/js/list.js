// The trace list: keys to move and select, completion, the bar of new traces.
import { describe, register } from "./keys.js";
import { start as startFresh } from "./fresh.js";
import { start as startSuggestions } from "./suggest.js";

const links = () => [...document.querySelectorAll("[data-row-link]")];

function move(step) {
  const all = links();
  const at = all.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step;
  all[next]?.focus();
}

function select() {
  const box = document.activeElement.closest("[data-row]")?.querySelector("input[type=checkbox]");
  box?.click();
}

function follow(selector) {
  document.querySelector(selector)?.click();
}

const GROUP = "Trace list";
if (links().length) {
  register("j", "Next trace", () => move(1), GROUP);
  register("k", "Previous trace", () => move(-1), GROUP);
  describe("Enter", "Open the trace", GROUP);
  if (document.querySelector("td.pick")) register("x", "Select the trace", select, GROUP);
}
if (document.querySelector(".pager [rel=next]")) {
  register("n", "Next page", () => follow(".pager [rel=next]"), GROUP);
}
const search = document.getElementById("q");
if (search) {
  register("/", "Search", () => search.focus(), GROUP);
  startSuggestions(search, JSON.parse(document.getElementById("completions").textContent));
}
startFresh();
