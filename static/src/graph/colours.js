// The colours in force, for canvas: tokens follow theme and forced colours.

const NAMES = {
  bands: ["--g-paper", "--g-1", "--g-2", "--g-3", "--g-4", "--g-5"],
  paper: "--g-paper",
  raised: "--g-raised",
  ink: "--g-ink",
  quiet: "--g-quiet",
  border: "--g-border",
  edge: "--g-edge",
  line: "--g-line",
  path: "--g-path",
  focus: "--g-focus",
  wash: "--g-bad-wash",
  lightInk: "--g-light-ink",
  darkInk: "--g-dark-ink",
};

/** Resolve the colours inside an element; custom properties alone keep light-dark(). */
export function coloursOf(element) {
  const probe = document.createElement("span");
  probe.hidden = true;
  element.append(probe);
  const resolve = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const found = Object.fromEntries(
    Object.entries(NAMES).map(([key, name]) => [key, Array.isArray(name) ? name.map(resolve) : resolve(name)]),
  );
  found.font = getComputedStyle(element).fontFamily;
  probe.remove();
  return found;
}

/** Ink on a badge of the band. */
export const inkOn = (colours, band) => (band === 1 || band === 5 ? colours.lightInk : colours.darkInk);
