// Moments in the reader's own zone, and "3 min ago" that keeps counting.

const MINUTE = 60_000;
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
const THIN = "\u202f";
const steps = [
  [1440 * MINUTE, "d"],
  [60 * MINUTE, "h"],
  [MINUTE, "min"],
];

function ago(age) {
  const [size, unit] = steps.find(([length]) => age >= length) ?? [];
  return size ? `${Math.floor(age / size)}${THIN}${unit} ago` : "just now";
}

const two = (number) => String(number).padStart(2, "0");

function local(moment) {
  const thisYear = moment.getFullYear() === new Date().getFullYear();
  const year = thisYear ? "" : ` ${moment.getFullYear()}`;
  const time = `${two(moment.getHours())}:${two(moment.getMinutes())}`;
  return `${moment.getDate()} ${MONTHS[moment.getMonth()]}${year} ${time}`;
}

function refresh() {
  for (const element of document.querySelectorAll("time[datetime]")) {
    const moment = new Date(element.dateTime);
    const text = "relative" in element.dataset ? ago(Date.now() - moment) : local(moment);
    if (element.textContent !== text) element.textContent = text;
    const utc = element.title.split(" · ").at(-1);
    element.title = `${local(moment)} · ${utc}`;
  }
}

export function start() {
  refresh();
  setInterval(refresh, MINUTE);
}
