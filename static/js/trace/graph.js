// The graph pane: hands selection, path and what-if to the drawing and back.
import { mountGraph } from "../graph.bundle.js";
import { toast } from "../say.js";

export function startGraph(page) {
  const element = document.getElementById("graph");
  if (!element) return {};
  let graph = null;
  const ready = mountGraph(element, {
    url: `${page.state.url}drawing/?${page.query()}`,
    link: `?${page.query({ step: undefined })}&step=`,
    strip: document.getElementById("strip"),
    selected: page.state.selected,
  }).then((mounted) => {
    graph = mounted;
    if (mounted) element.querySelector(".graph-note")?.remove();
    graph?.on("select", ({ key }) => page.select(key, { from: part }));
    offerDownloads(graph);
    return graph;
  });
  ready.catch(() => toast("The graph could not be drawn. The outline shows all steps.", "bad"));

  function offerDownloads(mounted) {
    const png = document.getElementById("export-png");
    if (!mounted || !png) return;
    png.hidden = false;
    png.addEventListener("click", () => mounted.save("png", "trace.png").catch((error) => toast(error.message, "bad")));
  }

  const part = {
    async select(key) {
      await ready;
      graph?.select(key, { center: true, quiet: true });
    },
    async path(keys) {
      await ready;
      graph?.path(keys);
    },
    async diagnosis(found) {
      await ready;
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
