// Tell the reader something: to screen readers, or in a corner of the page.

/** Announce politely to screen readers. */
export function announce(text) {
  const line = document.getElementById("announcer");
  line.textContent = "";
  // A new text node in a later frame is read even if it says the same again.
  requestAnimationFrame(() => {
    line.textContent = text;
  });
}

/** Show a note in the corner for a while; errors stay until dismissed. */
export function toast(text, tone = "good") {
  const note = document.createElement("div");
  note.className = `note note-${tone}`;
  note.dataset.note = "";
  const words = document.createElement("p");
  words.textContent = text;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button button-quiet button-small";
  button.dataset.dismiss = "";
  button.textContent = "Dismiss";
  note.append(words, button);
  document.getElementById("toasts").append(note);
  if (tone === "good") setTimeout(() => note.remove(), 6000);
}
