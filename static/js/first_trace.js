// An empty project waits for its first trace and then shows it.
import { announce } from "./say.js";

const EVERY = 2_000;

export function start() {
  const waiting = document.getElementById("first-trace");
  if (!waiting) return;
  const timer = setInterval(async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(waiting.dataset.url, { headers: { Accept: "application/json" } });
      if (!answer.ok || !(await answer.json()).traces) return;
    } catch {
      return;
    }
    clearInterval(timer);
    announce("The first trace arrived");
    location.reload();
  }, EVERY);
}

start();
