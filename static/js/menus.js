// Menus are details elements; this closes them as people expect.

function close(menu, refocus) {
  menu.open = false;
  if (refocus) menu.querySelector("summary").focus();
}

export function start() {
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll("[data-menu][open]")) {
      if (!menu.contains(event.target)) close(menu, false);
    }
  });
  document.addEventListener("keydown", (event) => {
    const menu = document.activeElement?.closest("[data-menu][open]");
    if (event.key === "Escape" && menu) close(menu, true);
  });
  document.addEventListener("focusout", (event) => {
    const menu = event.target.closest?.("[data-menu][open]");
    if (menu && event.relatedTarget && !menu.contains(event.relatedTarget)) close(menu, false);
  });
}
