// Drop files, see each one's progress and what became of it.
import { announce, toast } from "./say.js";

const form = document.querySelector("[data-upload]");
const input = form.querySelector("input[type=file]");
const results = document.getElementById("uploads");

function row(file) {
  const item = document.createElement("li");
  const name = document.createElement("p");
  name.textContent = file.name;
  const bar = document.createElement("progress");
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute("aria-label", `Upload of ${file.name}`);
  item.append(name, bar);
  results.prepend(item);
  return { item, bar };
}

function send(file) {
  const body = new FormData(form);
  body.delete("file");
  body.append("file", file);
  const { item, bar } = row(file);
  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", location.href);
    request.setRequestHeader("X-Requested-With", "fetch");
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) bar.value = event.loaded / event.total;
    });
    request.upload.addEventListener("load", () => bar.removeAttribute("value"));
    request.addEventListener("loadend", () => {
      finish(item, request, file);
      done();
    });
    request.send(body);
  });
}

function finish(item, request, file) {
  item.querySelector("progress")?.remove();
  if (request.status === 200) {
    // Our own server's fragment, escaped there; the CSP forbids scripts in it.
    item.innerHTML = request.responseText;
    announce(`${file.name}: done`);
    return;
  }
  const why = request.status ? `The server answered ${request.status}.` : "The connection broke.";
  toast(`${file.name} was not taken. ${why} Nothing of it was kept.`, "bad");
  item.remove();
}

async function sendAll(files) {
  // One after the other: each file is one transaction, and progress stays readable.
  for (const file of files) await send(file);
  input.value = "";
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  sendAll([...input.files]);
});
for (const type of ["dragenter", "dragover"]) {
  form.addEventListener(type, (event) => {
    event.preventDefault();
    form.classList.add("over");
  });
}
for (const type of ["dragleave", "drop"]) {
  form.addEventListener(type, (event) => {
    event.preventDefault();
    form.classList.remove("over");
    if (type === "drop") sendAll([...event.dataTransfer.files]);
  });
}
