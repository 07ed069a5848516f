const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };

export function moveByKey() {
  const list = document.getElementById("items");
  if (!list) return;
  const rows = [...list.querySelectorAll(".item")];
  const boxes = [...list.querySelectorAll("input[type=checkbox]")];

  list.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const row = event.target.closest(".item");
    if (event.key in STEPS) {
      const next = rows[rows.indexOf(row) + STEPS[event.key]];
      next?.querySelector(".open").focus();
    } else if (event.key === "Home" || event.key === "End") {
      rows.at(event.key === "Home" ? 0 : -1).querySelector(".open").focus();
    } else if (event.key === "x") {
      row.querySelector("input[type=checkbox]")?.click();
    } else if (event.key === "w") {
      document.dispatchEvent(new CustomEvent("why-not", { detail: row.dataset.id }));
    } else if (event.key === "Enter" && event.target.matches("input")) {
      row.querySelector(".open").click(); // rather than send the form
    } else {
      return;
    }
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const begins = event.key === "j" && !(event.ctrlKey || event.altKey || event.metaKey);
    if (begins && event.target === document.body) rows[0].querySelector(".open").focus();
  });

  const all = document.getElementById("all");
  if (!all) return;
  all.closest("label").hidden = false;
  all.addEventListener("change", () => boxes.forEach((box) => (box.checked = all.checked)));
  list.addEventListener("change", () => (all.checked = boxes.every((box) => box.checked)));
}
