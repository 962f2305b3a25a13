// The inspector: the server's page of one step, fetched when another is selected.
import { toast } from "../say.js";

export function startInspector(page) {
  const box = document.getElementById("inspector");
  let wanted = null;
  let busy = false;

  /** One at a time: of the steps passed over meanwhile only the last is fetched. */
  async function load(key) {
    wanted = key;
    if (busy) return;
    busy = true;
    box.setAttribute("aria-busy", "true");
    while (wanted !== null) {
      const mine = wanted;
      wanted = null;
      await show(mine);
    }
    busy = false;
    box.removeAttribute("aria-busy");
  }

  async function show(key) {
    try {
      const response = await fetch(`${page.state.url}steps/${encodeURIComponent(key)}/?${page.query({ step: undefined })}`);
      if (!response.ok) throw new Error(response.statusText);
      const html = await response.text();
      if (wanted !== null) return;
      box.innerHTML = html;
      box.scrollTop = 0;
    } catch {
      if (wanted === null) toast("The step could not be loaded. What is shown is the step before.", "bad");
    }
  }

  return { select: load, diagnosis: () => load(page.state.selected) };
}
