// Stands for d3-transition and d3-interpolate in the build (package.json): nothing
// here is animated, and without the two the bundle is a third smaller.
import { selection } from "d3-selection";

selection.prototype.interrupt = function interrupt() {
  return this;
};

export const interrupt = () => {};
export const interpolateZoom = () => () => [0, 0, 1];
