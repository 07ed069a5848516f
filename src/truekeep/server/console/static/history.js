// A slider under each choice of a moment: moving it compares.
export function slideBetweenMoments() {
  for (const choice of document.querySelectorAll("#moments select")) {
    const slider = document.createElement("input");
    slider.type = "range";
    slider.max = choice.options.length - 1;
    slider.value = choice.selectedIndex;
    slider.setAttribute("aria-label", `${choice.name === "since" ? "From" : "To"}, as a slider`);
    slider.addEventListener("input", () => { choice.selectedIndex = Number(slider.value); });
    slider.addEventListener("change", () => choice.form.requestSubmit());
    choice.after(slider);
  }
}
