// Buttons with data-copy put their text on the clipboard.
import { announce, toast } from "./say.js";

async function write(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Plain http from another machine has no clipboard API.
  const area = document.createElement("textarea");
  area.value = text;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (!done) throw new Error("copy refused");
}

export function start() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    event.preventDefault();
    try {
      await write(button.dataset.copy);
      button.classList.add("copied");
      setTimeout(() => button.classList.remove("copied"), 1500);
      announce("Copied");
    } catch {
      toast("The browser did not allow copying. Select the text instead.", "bad");
    }
  });
}
