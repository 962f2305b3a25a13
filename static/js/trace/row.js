// One line of the outline, as the server writes it.

const SIGNS = { no_finding: "·", unscored: "?", pending: "…", boundary: "" };
const WORDS = { no_finding: "no finding", unscored: "unscored", pending: "being judged", boundary: "never scored" };
const SVG = "http://www.w3.org/2000/svg";

function part(name, text) {
  const element = document.createElement("span");
  element.className = name;
  element.textContent = text;
  return element;
}

function chip(row) {
  const scored = row.score !== null && row.score !== undefined;
  const band = scored ? Math.min(5, Math.max(1, Math.floor(row.score + 0.5))) : 0;
  const kind = scored ? `score-band-${band}${row.failed ? " score-failed" : ""}` : `score-${row.state.replace("_", "-")}`;
  const element = part(`score ${kind}`, "");
  if (scored) {
    const sign = part("score-sign", "");
    sign.ariaHidden = "true";
    element.append(sign, part("visually-hidden", "Score "), row.score.toFixed(2).replace(/0$/, ""));
    if (row.failed) element.append(part("visually-hidden", ", failed"));
  } else {
    const sign = part("score-mark", SIGNS[row.state] ?? "");
    sign.ariaHidden = "true";
    element.append(sign, part("visually-hidden", WORDS[row.state] ?? ""));
  }
  return element;
}

function bar(row) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "row-bar");
  svg.setAttribute("viewBox", "0 0 100 8");
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  const rect = document.createElementNS(SVG, "rect");
  for (const [key, value] of Object.entries({ x: row.left, y: 1, width: row.width, height: 6 })) rect.setAttribute(key, value);
  svg.append(rect);
  return svg;
}

function duration(millis) {
  if (millis === null) return "";
  if (millis < 1000) return `${Math.round(millis)} ms`;
  return `${(millis / 1000).toFixed(1)} s`;
}

export function rowElement(row, page, place, count) {
  const element = document.createElement(row.key ? "a" : "div");
  element.className = `row${row.key ? "" : " row-group"}${row.failed ? " row-failed" : ""}${row.found ? " row-found" : ""}`;
  const selected = row.key !== "" && row.key === page.state.selected;
  const attributes = { role: "treeitem", "aria-level": row.level, "aria-selected": selected, "aria-setsize": count, "aria-posinset": place + 1 };
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.dataset.level = row.level;
  element.tabIndex = selected ? 0 : -1;
  if (!row.key) {
    element.append(part("row-name", row.name));
    return element;
  }
  element.dataset.key = row.key;
  element.href = `?${page.query({ step: row.key })}`;
  const score = part("row-score", "");
  score.append(chip(row));
  element.append(part("row-index num", row.index), score, part("row-type", row.type), part("row-name", row.name));
  if (row.role === "root") element.append(part("row-role", "root"));
  element.append(bar(row), part("row-time num", duration(row.millis)));
  return element;
}
