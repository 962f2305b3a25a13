// Search among the steps of this run.

export function startFind(page) {
  const form = document.getElementById("find");
  const input = document.getElementById("find-text");
  const count = document.getElementById("find-count");
  let hits = [];

  function search() {
    hits = page.outline.search(input.value);
    count.textContent = input.value.trim() ? `${hits.length} found` : "";
  }

  input.addEventListener("input", search);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!hits.length) return;
    const at = hits.indexOf(page.state.selected);
    page.select(hits[(at + 1) % hits.length]);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    input.value = "";
    search();
    input.blur();
  });
  return {};
}
