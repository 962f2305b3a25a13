// The drawing as a file: SVG with its style inside, PNG painted on a canvas.
import { coloursOf } from "./colours.js";
import { definitions, edgeMarkup, laneMarkup, nodeMarkup } from "./marks.js";
import { paintAll } from "./painter.js";

const MARGIN = 24;
const LONGEST_SIDE = 16_384;
const MOST_PIXELS = 64_000_000;
const SHEET = "graph";

function style() {
  const sheet = [...document.styleSheets].find((each) => each.href && new URL(each.href).pathname.includes(SHEET));
  return sheet ? [...sheet.cssRules].map((rule) => rule.cssText).join("\n") : "";
}

/** The whole drawing as a file of its own. */
export function toSvg(model, prefix) {
  const [width, height] = model.size.map((side) => side + 2 * MARGIN);
  const edges = Array.from(model.columns.edges.source.keys());
  edges.sort((a, b) => Number(model.pathEdges.has(a)) - Number(model.pathEdges.has(b)));
  const places = Array.from({ length: model.count }, (_, place) => place);
  const parts = [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    '<svg xmlns="http://www.w3.org/2000/svg" class="g-graph" role="tree" aria-label="Step graph"',
    ` viewBox="-${MARGIN} -${MARGIN} ${width} ${height}" width="${width}" height="${height}">`,
    `<style><![CDATA[${style().replaceAll("]]>", "]] >")}]]></style>`,
    definitions(prefix),
    '<g class="g-lanes">',
    ...(model.lanes.length > 1 ? model.lanes.map(laneMarkup) : []),
    `</g><g class="g-edges" marker-end="url(#${prefix}-arrow)">`,
    ...edges.map((place) => edgeMarkup(model, place)),
    '</g><g class="g-nodes">',
    ...places.map((place) => nodeMarkup(model, place, prefix)),
    "</g></svg>",
  ];
  return new Blob([parts.join("")], { type: "image/svg+xml" });
}

/** The whole drawing as pixels, in the colours of the page, smaller where it must be. */
export function toPng(model, frame) {
  const [width, height] = model.size.map((side) => side + 2 * MARGIN);
  const scale = Math.min(2, LONGEST_SIDE / width, LONGEST_SIDE / height, Math.sqrt(MOST_PIXELS / (width * height)));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.floor(width * scale));
  canvas.height = Math.max(1, Math.floor(height * scale));
  const context = canvas.getContext("2d");
  const colours = coloursOf(frame);
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.setTransform(scale, 0, 0, scale, MARGIN * scale, MARGIN * scale);
  paintAll(context, model, colours);
  return new Promise((resolve) => {
    canvas.toBlob(resolve, "image/png");
  });
}

/** Hand a blob to the reader as a download. */
export function download(blob, name) {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(blob);
  anchor.download = name;
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}
