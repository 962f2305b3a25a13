// Completion for the typed query: field names first, then values of the field.

const SHOWN = 12;

/** The word under the cursor and where it starts. */
function word(input) {
  const before = input.value.slice(0, input.selectionStart);
  const start = before.search(/[^\s"]*$/);
  return { start, text: before.slice(start) };
}

function quoted(value) {
  return /^[^\s",:<>=\\-][^\s",:<>=\\]*$/.test(value) || /^[<>]=?[\d.]+\w*$/.test(value)
    ? value
    : `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** What could stand in place of the word. */
function options(fields, text) {
  const minus = text.startsWith("-") ? "-" : "";
  const bare = text.slice(minus.length);
  const colon = bare.indexOf(":");
  if (colon < 0) {
    return fields
      .filter(({ name }) => name.startsWith(bare.toLowerCase()))
      .map(({ name, help }) => ({ text: `${minus}${name}:`, help, open: true }));
  }
  const field = fields.find(({ name }) => name === bare.slice(0, colon).toLowerCase());
  const typed = bare.slice(colon + 1).toLowerCase();
  return (field?.values ?? [])
    .filter((value) => value.toLowerCase().includes(typed) && value.toLowerCase() !== typed)
    .map((value) => ({ text: `${minus}${field.name}:${quoted(value)}`, help: "", open: false }));
}

export function start(input, fields) {
  const list = document.createElement("ul");
  list.id = "suggestions";
  list.className = "suggestions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Completions");
  list.hidden = true;
  input.after(list);
  input.setAttribute("role", "combobox");
  input.setAttribute("aria-expanded", "false");
  input.setAttribute("aria-controls", list.id);
  input.setAttribute("aria-autocomplete", "list");
  let current = [];
  let active = -1;

  function mark(index) {
    active = index;
    [...list.children].forEach((item, at) => {
      item.setAttribute("aria-selected", String(at === index));
      if (at === index) item.scrollIntoView({ block: "nearest" });
    });
    if (index < 0) input.removeAttribute("aria-activedescendant");
    else input.setAttribute("aria-activedescendant", `suggestion-${index}`);
  }

  function show(found) {
    current = found.slice(0, SHOWN);
    list.replaceChildren(...current.map(item));
    list.hidden = current.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    mark(-1);
  }

  function item({ text, help }, index) {
    const element = document.createElement("li");
    element.id = `suggestion-${index}`;
    element.setAttribute("role", "option");
    const code = document.createElement("code");
    code.textContent = text;
    const words = document.createElement("span");
    words.className = "quiet small";
    words.textContent = help;
    element.append(code, words);
    element.addEventListener("mousedown", (event) => {
      event.preventDefault();
      take(index);
    });
    return element;
  }

  function take(index) {
    const { start: from, text } = word(input);
    const { text: chosen, open } = current[index];
    const after = input.value.slice(from + text.length);
    const filled = chosen + (open || after.startsWith(" ") ? "" : " ");
    input.value = input.value.slice(0, from) + filled + after;
    input.setSelectionRange(from + filled.length, from + filled.length);
    if (open) show(options(fields, word(input).text));
    else show([]);
  }

  const refresh = () => show(options(fields, word(input).text));
  input.addEventListener("input", refresh);
  input.addEventListener("focus", refresh);
  input.addEventListener("blur", () => show([]));
  input.addEventListener("keydown", (event) => {
    if (list.hidden) {
      if (event.key === "ArrowDown") refresh();
      return;
    }
    const last = current.length - 1;
    if (event.key === "ArrowDown") mark(active >= last ? 0 : active + 1);
    else if (event.key === "ArrowUp") mark(active <= 0 ? last : active - 1);
    else if (event.key === "Escape") show([]);
    else if ((event.key === "Enter" || event.key === "Tab") && active >= 0) take(active);
    else return;
    event.preventDefault();
  });
}
