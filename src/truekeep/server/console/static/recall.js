import { load } from "./part.js";

const PAUSE = 250; // milliseconds without a key pressed

export function recallWhileTyping() {
  const form = document.getElementById("asking");
  if (!form) return;
  const query = form.elements.query;
  const found = document.getElementById("found");
  const explained = document.getElementById("explained");
  let waiting;

  function asked() {
    return new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== ""));
  }

  function show() {
    for (const button of document.querySelectorAll(".why-not")) button.hidden = !query.value.trim();
  }

  async function recall() {
    show();
    explained.replaceChildren();
    if (query.value.trim()) await load(found, `recall?${asked()}`);
    else found.replaceChildren();
  }

  async function explain(id) {
    const wanted = asked();
    wanted.set("id", id);
    await load(explained, `explain?${wanted}`);
    explained.scrollIntoView({ block: "nearest" });
  }

  query.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(recall, PAUSE);
  });
  form.addEventListener("change", (event) => {
    if (event.target !== query && query.value.trim()) recall();
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".why-not");
    if (button) explain(button.closest("[data-id]").dataset.id);
  });
  found.addEventListener("submit", (event) => {
    event.preventDefault();
    explain(event.target.elements.id.value.trim());
  });
  document.addEventListener("why-not", (event) => {
    if (query.value.trim()) explain(event.detail);
  });
  show();
}
