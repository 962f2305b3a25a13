// What every page needs. Pages are complete without it.
import { start as startCopy } from "./copy.js";
import { start as startKeys } from "./keys.js";
import { start as startMenus } from "./menus.js";
import { start as startPreferences } from "./preferences.js";
import { start as startTimes } from "./times.js";

document.documentElement.classList.add("js");

function startNotes() {
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-dismiss]");
    button?.closest("[data-note]")?.remove();
  });
}

startPreferences();
startMenus();
startCopy();
startKeys();
startTimes();
startNotes();
