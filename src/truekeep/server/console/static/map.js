// Texts are set as text, never as markup.
export async function tellPoints() {
  const map = document.getElementById("map");
  if (!map) return;
  const told = document.getElementById("point");
  const circles = [...map.querySelectorAll("circle")];
  let chosen = null;

  const answer = await fetch("map/points", { headers: { "X-Part": "1" } });
  const known = answer.ok ? await answer.json() : { seq: null, points: [] };
  if (String(known.seq) !== map.dataset.seq) {
    told.textContent = "The space has changed; load the page again.";
    return;
  }

  function choose(circle) {
    chosen?.classList.remove("chosen");
    chosen = circle;
    circle.classList.add("chosen");
    const point = known.points[Number(circle.dataset.n)];
    if (!point) {
      told.textContent = "This item is gone.";
      return;
    }
    const link = document.createElement("a");
    link.href = `items/${encodeURIComponent(point[0])}`;
    link.dir = "auto";
    link.textContent = point[1];
    told.replaceChildren(link);
  }

  function towards(key) {
    const along = key === "ArrowLeft" || key === "ArrowRight" ? "cx" : "cy";
    const sign = key === "ArrowRight" || key === "ArrowDown" ? 1 : -1;
    const at = (circle, name) => circle[name].baseVal.value;
    if (!chosen) return circles[0];
    const ahead = circles.filter((one) => sign * (at(one, along) - at(chosen, along)) > 0);
    const distance = (one) => (at(one, "cx") - at(chosen, "cx")) ** 2 + (at(one, "cy") - at(chosen, "cy")) ** 2;
    return ahead.sort((one, other) => distance(one) - distance(other))[0];
  }

  let before = null; // what was chosen when the pointer came: a finger chooses first, then opens
  map.addEventListener("pointerover", (event) => {
    if (!event.target.matches("circle")) return;
    before = chosen;
    choose(event.target);
  });
  map.addEventListener("click", (event) => {
    if (!event.target.matches("circle")) return;
    if (event.pointerType !== "touch" || event.target === before) told.querySelector("a")?.click();
  });
  map.addEventListener("keydown", (event) => {
    if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      const next = towards(event.key);
      if (next) choose(next);
    } else if (event.key === "Enter") {
      told.querySelector("a")?.click();
    }
  });
  map.dataset.ready = "true";
}
