// Colours change at once; the form saves the choice. Tells the server the zone.

function remember(name, value) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${name}=${value}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
}

function apply(theme, form) {
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  for (const button of form.querySelectorAll("[name=theme]")) {
    button.setAttribute("aria-pressed", String(button.value === theme));
  }
}

export function start() {
  remember("tz", Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC");
  const form = document.querySelector("[data-preferences]");
  form?.addEventListener("submit", (event) => {
    if (event.submitter?.name !== "theme") return;
    event.preventDefault();
    remember("theme", event.submitter.value);
    apply(event.submitter.value, form);
  });
}
