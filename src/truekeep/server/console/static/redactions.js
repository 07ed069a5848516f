import { load } from "./part.js";

const ENOUGH = 30; // shown; whoever wants more follows the link

// Redactions are rare: what a page does not find among the latest items is looked for further back, piece by piece.
export async function lookFurtherBack() {
  const list = document.getElementById("redactions");
  let further = list?.querySelector("a[rel=next]");
  while (further && list.querySelectorAll(".item").length < ENOUGH) {
    const piece = document.createElement("div");
    further.closest(".further").replaceWith(piece);
    piece.textContent = "Looking further back …";
    if (!(await load(piece, further.href))) return;
    further = piece.querySelector("a[rel=next]");
    const isLast = !further && !piece.querySelector(".item");
    if (isLast && list.querySelector(".item")) piece.remove();
  }
}
