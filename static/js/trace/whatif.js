// What if thresholds were moved, or failures followed by another strategy?

const WAIT = 80;

export function startWhatIf(page) {
  const form = document.getElementById("whatif");
  const shift = document.getElementById("shift");
  const value = document.getElementById("shift-value");
  const strategy = document.getElementById("strategy");
  let timer = 0;

  function changed() {
    const by = Number(shift.value);
    value.textContent = by ? `${by > 0 ? "+" : ""}${by.toFixed(2)}` : "as set";
    clearTimeout(timer);
    timer = setTimeout(() => page.change({ shift: by ? shift.value : "", strategy: strategy.value }), WAIT);
  }

  shift.addEventListener("input", changed);
  strategy.addEventListener("change", changed);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    changed();
  });
  return {};
}
