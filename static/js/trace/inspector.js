// The inspector: the server's page of one step, fetched when another is selected.
import { toast } from "../say.js";

export function startInspector(page) {
  const box = document.getElementById("inspector");
  let mine = 0;

  async function load(key) {
    const turn = ++mine;
    box.setAttribute("aria-busy", "true");
    try {
      const response = await fetch(`${page.state.url}steps/${encodeURIComponent(key)}/?${page.query({ step: undefined })}`);
      if (turn !== mine) return;
      if (!response.ok) throw new Error(response.statusText);
      box.innerHTML = await response.text();
      box.scrollTop = 0;
    } catch {
      if (turn === mine) toast("The step could not be loaded. What is shown is the step before.", "bad");
    } finally {
      if (turn === mine) box.removeAttribute("aria-busy");
    }
  }

  return { select: load, diagnosis: () => load(page.state.selected) };
}
