// The graph pane: hands selection, path and what-if to the drawing and back.
import { mountGraph } from "../graph.bundle.js";
import { toast } from "../say.js";

export function startGraph(page) {
  const element = document.getElementById("graph");
  if (!element) return {};
  let graph = null;
  const wait = element.querySelector(".graph-wait");
  const ready = mountGraph(element, {
    load,
    link: `?${page.query({ step: undefined })}&step=`,
    strip: document.getElementById("strip"),
    selected: page.state.selected,
  }).then((mounted) => {
    graph = mounted;
    graph?.on("select", ({ key }) => page.select(key, { from: part }));
    graph?.on("error", ({ message }) => toast(message, "bad"));
    offerDownloads(graph);
    offerZoom(graph);
    return graph;
  });
  ready.catch(() => {
    toast("The graph could not be drawn. The outline shows all steps.", "bad");
    if (wait) wait.replaceChildren("The graph could not be drawn. The outline shows all steps; ", again());
  });

  function offerZoom(mounted) {
    const group = document.querySelector(".graph-zoom");
    if (!mounted || !group) return;
    group.hidden = false;
    group.addEventListener("click", (event) => {
      const { zoom } = event.target.dataset;
      if (zoom === "fit") mounted.fit();
      else if (zoom) mounted.zoom(Number(zoom));
    });
  }

  /** The drawing as the address has it now, with what was unfolded. */
  async function load(opened) {
    const more = opened.length ? `&opened=${opened.join(",")}` : "";
    const answer = await fetch(`${page.state.url}drawing/?${page.query()}${more}`, { headers: { Accept: "application/json" } });
    if (!answer.ok) throw new Error(`The graph could not be loaded (${answer.status}). What is drawn stays.`);
    return answer.json();
  }

  function again() {
    const link = document.createElement("a");
    link.href = location.href;
    link.textContent = "try again";
    return link;
  }

  function offerDownloads(mounted) {
    const png = document.getElementById("export-png");
    if (!mounted || !png) return;
    png.hidden = false;
    png.addEventListener("click", () => mounted.save("png", "trace.png").catch((error) => toast(error.message, "bad")));
  }

  const part = {
    async select(key) {
      await ready;
      graph?.select(key, { center: true, quiet: true, focus: false, index: page.outline.index(key) });
    },
    async path(keys) {
      await ready;
      graph?.path(keys);
    },
    async diagnosis(found) {
      await ready;
      // What is folded depends on what fails.
      if (graph?.folded) return graph.reload().catch((error) => toast(error.message, "bad"));
      graph?.update(changes(found));
      graph?.path(found.path);
    },
  };
  return part;
}

/** What the drawing shows of every scored step, and of those on the path. */
function changes(found) {
  const map = {};
  for (const [key, [score, failed, role, state, category]] of Object.entries(found.outcomes)) {
    map[key] = { score, failed: Boolean(failed), role: role || null, state, category };
  }
  return map;
}
