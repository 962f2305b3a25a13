// A quiet bar that says how many traces came in since; it never moves the list.
import { announce } from "./say.js";

const EVERY = 10_000;

async function ask(bar) {
  const url = new URL(bar.dataset.url, location.href);
  url.search = new URLSearchParams({ since: bar.dataset.newest, q: bar.dataset.query });
  const answer = await fetch(url, { headers: { Accept: "application/json" } });
  return answer.ok ? answer.json() : { new: 0 };
}

function show(bar, { new: count, most }) {
  const words = `${count >= most ? `${most}+` : count} new ${count === 1 ? "trace" : "traces"}`;
  const line = bar.querySelector("[data-count]");
  if (!count || line.textContent === words) return;
  line.textContent = words;
  bar.hidden = false;
  announce(words);
}

export function start() {
  const bar = document.getElementById("fresh");
  if (!bar?.dataset.newest) return;
  setInterval(async () => {
    if (document.hidden) return;
    try {
      show(bar, await ask(bar));
    } catch {
      // The server is away; the next look will tell.
    }
  }, EVERY);
}
