// The trace page: one selected step, shown in outline, graph and inspector.
import { describe, register } from "../keys.js";
import { announce as say } from "../say.js";
import { startFind } from "./find.js";
import { startGraph } from "./graph.js";
import { startInspector } from "./inspector.js";
import { startOutline } from "./outline.js";
import { startWhatIf } from "./whatif.js";

const root = document.getElementById("trace");

/** The state of the page; the address holds the same. */
const state = {
  url: root.dataset.url,
  view: root.dataset.view,
  selected: root.dataset.selected,
  strategy: root.dataset.strategy,
  shift: root.dataset.shift,
};

/** The part of an address that says what is shown. */
function query(extra = {}) {
  const wanted = { view: state.view, strategy: state.strategy, shift: state.shift, step: state.selected, ...extra };
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(wanted)) if (value !== "" && value !== undefined) params.set(key, value);
  return params.toString();
}

const parts = [];
const page = {
  root,
  state,
  query,
  outline: null,
  /** Select a step everywhere. */
  select(key, { push = true, from = null } = {}) {
    if (!key || key === state.selected) return;
    state.selected = key;
    if (push) history.pushState({ step: key }, "", `?${query()}`);
    for (const part of parts) if (part !== from) part.select?.(key);
  },
  /** Apply a changed threshold or strategy. */
  async change(changed) {
    Object.assign(state, changed);
    history.replaceState({ step: state.selected }, "", `?${query()}`);
    await refresh();
  },
};

let asked = 0;
async function refresh() {
  const mine = ++asked;
  const response = await fetch(`${state.url}diagnosis/?${query()}`, { headers: { Accept: "application/json" } });
  if (!response.ok || mine !== asked) return;
  const found = await response.json();
  document.getElementById("headline").innerHTML = found.headline;
  for (const part of parts) part.diagnosis?.(found);
}

/** Ask for the path of the selected failure, then mark it. */
async function markPath() {
  const mine = ++asked;
  const response = await fetch(`${state.url}diagnosis/?${query()}`);
  if (!response.ok || mine !== asked) return;
  const found = await response.json();
  for (const part of parts) part.path?.(found.path, found);
}

parts.push(startInspector(page), (page.outline = startOutline(page)), startGraph(page), startWhatIf(page), startFind(page));
parts.push({ select: markPath });

document.addEventListener("click", (event) => {
  const link = event.target.closest("[data-step]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  page.select(link.dataset.step);
});

addEventListener("popstate", () => {
  const step = new URLSearchParams(location.search).get("step");
  if (step) page.select(step, { push: false });
});

function go(key, what) {
  if (key) page.select(key);
  else say(what);
}

const outline = () => page.outline;
register("j", "Next step", () => go(outline().neighbour(1), "This is the last step"));
register("k", "Previous step", () => go(outline().neighbour(-1), "This is the first step"));
register("f", "Next failure", () => go(outline().neighbour(1, (row) => row.failed), "No later failure"));
register("F", "Previous failure", () => go(outline().neighbour(-1, (row) => row.failed), "No earlier failure"));
register("r", "Go to the root", () => go(document.querySelector("#inspector .path a")?.dataset.step || outline().find((row) => row.role === "root"), "Nothing failed"));
register("p", "Parent on the path", () => go(previousOnPath(-1), "This is the root"));
register("c", "Next on the path", () => go(previousOnPath(1), "This is the end of the path"));
register("g", "Graph view", () => location.assign(`?${query({ view: "graph" })}`));
register("t", "Timeline view", () => location.assign(`?${query({ view: "timeline" })}`));
register("/", "Search in this trace", () => document.getElementById("find-text").focus());
register("[", "Newer trace", () => document.getElementById("newer")?.click());
register("]", "Older trace", () => document.getElementById("older")?.click());
describe("Enter", "In the outline or the graph: select the step");

function previousOnPath(by) {
  const links = [...document.querySelectorAll("#inspector .path a")].map((link) => link.dataset.step);
  return links[links.indexOf(state.selected) + by];
}
