// Keep what is typed: on the server as soon as it answers, and say so.

const DELAY = 500;
const AGAIN = 3000;
const IDLE = 60_000;

/** The fields of the form as the API takes them. */
export function read(form) {
  const data = new FormData(form);
  const whole = (name) => (data.get(name) ? Number(data.get(name)) : null);
  const metrics = {};
  for (const [name, value] of data) {
    if (name.startsWith("metric-")) metrics[name.slice(7)] = Number(value);
  }
  return {
    score: whole("score"),
    metrics,
    category: data.get("category") ?? "",
    is_root: data.has("is_root"),
    comment: data.get("comment") ?? "",
    confidence: whole("confidence"),
    guideline_gap: data.has("guideline_gap"),
  };
}

/** Time the page was used since the last call, idle stretches cut. */
function stopwatch() {
  let last = performance.now();
  let used = 0;
  const tick = () => {
    const now = performance.now();
    used += Math.min(now - last, IDLE);
    last = now;
  };
  for (const kind of ["keydown", "pointerdown", "scroll", "input"]) {
    addEventListener(kind, tick, { passive: true, capture: true });
  }
  return () => {
    tick();
    const found = Math.round(used);
    used = 0;
    return found;
  };
}

export function keep({ form, line, address, say }) {
  const version = form.elements.version;
  const token = form.elements.csrfmiddlewaretoken.value;
  const taken = stopwatch();
  let stored = JSON.stringify(read(form));
  let timer = 0;
  let saving = null;

  function show(text, lost = false) {
    line.textContent = text;
    line.classList.toggle("is-lost", lost);
  }

  async function send(content) {
    const answer = await fetch(address, {
      method: "PUT",
      keepalive: true,
      headers: { "Content-Type": "application/json", "X-CSRFToken": token },
      body: JSON.stringify({
        content: JSON.parse(content),
        version: Number(version.value),
        active_ms: taken(),
      }),
    });
    if (answer.ok) {
      const found = await answer.json();
      version.value = found.version;
      stored = content;
      show(`Saved ${new Date(found.saved_at).toLocaleTimeString()}`);
    } else if (answer.status === 409) {
      const problem = await answer.json();
      const newer = problem.error.details.find((one) => one.field === "version");
      if (newer) version.value = newer.message;
      show("Changed in another tab. Reload to see it, or save again to keep this.", true);
    } else {
      throw new Error(String(answer.status));
    }
  }

  async function save() {
    clearTimeout(timer);
    if (saving) await saving;
    const content = JSON.stringify(read(form));
    if (content === stored) return;
    show("Saving…");
    saving = send(content).catch(() => {
      show("Not saved: the server can't be reached. It is tried again.", true);
      timer = setTimeout(save, AGAIN);
    });
    await saving;
    saving = null;
  }

  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(save, DELAY);
  });
  addEventListener("pagehide", () => {
    const content = JSON.stringify(read(form));
    if (content !== stored && !form.dataset.sent) send(content).catch(() => {});
  });
  form.addEventListener("submit", () => {
    form.dataset.sent = "1";
    clearTimeout(timer);
    say("Sent");
  });
  return save;
}
