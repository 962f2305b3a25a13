// Keyboard shortcuts: pages register them, "?" lists them, typing turns them off.

const shortcuts = [];
const off = () => document.documentElement.dataset.keys === "off";

/**
 * Register a shortcut.
 * @param {string} key as in KeyboardEvent.key, for example "j" or "?"
 * @param {string} label what it does, for the list
 * @param {(event: KeyboardEvent) => void} run
 * @param {string} group heading in the list
 */
export function register(key, label, run, group = "This page") {
  shortcuts.push({ key, label, run, group });
}

/** List a key that the browser itself handles, without binding it. */
export function describe(key, label, group = "This page") {
  shortcuts.push({ key, label, run: null, group });
}

function typing(target) {
  return target.closest?.("input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]");
}

function pressed(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (off() || typing(event.target) || document.querySelector("dialog[open]")) return;
  const found = shortcuts.find((each) => each.run && each.key === event.key);
  if (!found) return;
  event.preventDefault();
  found.run(event);
}

function section(group) {
  const part = document.createElement("section");
  const heading = document.createElement("h3");
  heading.textContent = group;
  const list = document.createElement("dl");
  list.className = "keys";
  for (const { key, label } of shortcuts.filter((each) => each.group === group)) {
    const term = document.createElement("dt");
    const cap = document.createElement("kbd");
    cap.textContent = key === " " ? "Space" : key;
    term.append(cap);
    const what = document.createElement("dd");
    what.textContent = label;
    list.append(term, what);
  }
  part.append(heading, list);
  return part;
}

function showHelp() {
  const groups = [...new Set(shortcuts.map((each) => each.group))];
  const dialog = document.getElementById("keyboard-help");
  document.getElementById("keyboard-help-list").replaceChildren(...groups.map(section));
  document.getElementById("keyboard-help-note").textContent = off()
    ? "Shortcuts are turned off. Turn them on in the menu at the top right."
    : "Off while you type. They can be turned off in the menu at the top right.";
  dialog.showModal();
}

export function start() {
  register("?", "Show these keys", showHelp, "Everywhere");
  document.addEventListener("keydown", pressed);
  document.getElementById("help-button")?.addEventListener("click", showHelp);
}
