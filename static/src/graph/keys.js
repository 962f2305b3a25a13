// Moving along the graph with the keyboard while a box has the focus.

/** The child or parent to go to: on the path first, then straight, then the nearest. */
function along(model, place, found) {
  const { column } = model.columns.nodes;
  const away = (other) => {
    const path = model.node(other).onPath ? 0 : 1e6;
    return path + Math.abs(column[other] - column[place]) * 1000 + Math.abs(model.row(other) - model.row(place));
  };
  return found.length ? found.reduce((best, each) => (away(each) < away(best) ? each : best)) : undefined;
}

/** The next box to the left (-1) or right (1): in the row, else in the nearest row. */
function beside(model, place, side) {
  const { column } = model.columns.nodes;
  const y = model.row(place) * model.rowHeight;
  const reach = 3 * model.rowHeight;
  const price = (other) => Math.abs(column[other] - column[place]) + 100 * Math.abs(model.row(other) - model.row(place));
  const { nodes } = model.between(y - reach, y + reach);
  const found = nodes.filter((other) => (column[other] - column[place]) * side > 0);
  return found.length ? found.reduce((best, each) => (price(each) < price(best) ? each : best)) : undefined;
}

/** Where a key leads from a box, undefined if nowhere. */
export function target(model, place, key) {
  switch (key) {
    case "ArrowDown":
      return along(model, place, model.kids[place]);
    case "ArrowUp":
      return along(model, place, model.parents[place]);
    case "ArrowLeft":
      return beside(model, place, -1);
    case "ArrowRight":
      return beside(model, place, 1);
    case "Home":
      return 0;
    case "End":
      return model.count - 1;
    default:
      return undefined;
  }
}

export const MOVES = new Set(["ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End"]);
