// The labelling workspace: keys, drafts, the lease.
import { register, describe } from "../keys.js";
import { announce } from "../say.js";
import { keep } from "./draft.js";

const RENEW = 60_000;
const root = document.getElementById("labelling");
const form = document.getElementById("label-form");
const line = document.getElementById("saved");
const rows = [...form.querySelectorAll(".score-row")];
const category = document.getElementById("category");
const definition = document.getElementById("category-definition");
const token = form.elements.csrfmiddlewaretoken.value;

const save = keep({
  form,
  line,
  address: `${root.dataset.api}/drafts/${root.dataset.item}`,
  say: announce,
});

let current = Math.max(0, rows.findIndex((row) => !row.querySelector(":checked")));

function showRow() {
  rows.forEach((row, number) => row.classList.toggle("is-current", rows.length > 1 && number === current));
}

function score(value) {
  const row = rows[current];
  const choice = row?.querySelector(`input[value="${value}"]`);
  if (!choice) return;
  choice.checked = true;
  choice.dispatchEvent(new Event("input", { bubbles: true }));
  announce(`${row.querySelector("legend").textContent}: ${value}`);
  current = Math.min(current + 1, rows.length - 1);
  showRow();
}

function showDefinition() {
  const chosen = category.selectedOptions[0];
  const { definition: text = "", use = "", avoid = "" } = chosen.dataset;
  definition.textContent = [text, use && `Use it when: ${use}`, avoid && `Not when: ${avoid}`]
    .filter(Boolean)
    .join(" ");
}

function toggle(id) {
  const box = document.getElementById(id);
  box.checked = !box.checked;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  announce(`${box.closest("label").textContent.trim()}: ${box.checked ? "yes" : "no"}`);
}

function open(id) {
  const part = document.getElementById(id);
  if (!part) return;
  part.open = !part.open;
  if (part.open) part.querySelector("input, a, p")?.focus?.();
}

function submit(name) {
  form.requestSubmit(form.querySelector(`button[value="${name}"]`));
}

for (const value of [1, 2, 3, 4, 5]) register(String(value), `Score ${value}`, () => score(value));
register("f", "Name the failure; type to find it", () => category.focus());
register("r", "The run's failure began here", () => toggle("is-root"));
register("c", "Comment", () => document.getElementById("comment").focus());
register("!", "The guidelines don't settle this", () => toggle("gap"));
register("g", "Guidelines", () => open("guidelines"));
register("s", "Skip, with a reason", () => open("skip"));
register("j", "Step after, in this task", () => document.getElementById("step-after")?.click());
register("k", "Step before, in this task", () => document.getElementById("step-before")?.click());
describe("Ctrl+Enter", "Submit and go to the next");
describe("Ctrl+S", "Save the draft");

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  if (event.key === "Enter") {
    event.preventDefault();
    submit("submit");
  } else if (event.key === "s") {
    event.preventDefault();
    save();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && form.contains(document.activeElement)) document.activeElement.blur();
});

async function renew() {
  try {
    await fetch(`${root.dataset.api}/renew`, { method: "POST", headers: { "X-CSRFToken": token } });
  } catch {
    // The next beat tries again; a task can be submitted without a lease, too.
  }
}

category.addEventListener("change", showDefinition);
form.addEventListener("change", (event) => {
  const row = event.target.closest(".score-row");
  if (row) current = Math.min(rows.indexOf(row) + 1, rows.length - 1);
  showRow();
});
setInterval(renew, RENEW);
showRow();
showDefinition();
