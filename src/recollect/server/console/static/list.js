const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

export function moveByKey() {
  const list = document.getElementById("items");
  if (!list) return;
  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const row = event.target.closest(".item");
    const rows = [...list.querySelectorAll(".item")];
    if (event.key in STEPS) {
      const next = rows[rows.indexOf(row) + STEPS[event.key]];
      next?.querySelector(".open").focus();
    } else if (event.key === "Home" || event.key === "End") {
      rows.at(event.key === "Home" ? 0 : -1).querySelector(".open").focus();
    } else if (event.key === "x") {
      const box = row.querySelector("input[type=checkbox]");
      if (box) box.checked = !box.checked;
    } else if (event.key === "w") {
      document.dispatchEvent(new CustomEvent("why-not", { detail: row.dataset.id }));
    } else {
      return;
    }
    event.preventDefault();
  });
}
