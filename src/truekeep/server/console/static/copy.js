// Browsers lend the clipboard over TLS and on one's own machine only; elsewhere no button is shown.
export function copyLines() {
  if (!navigator.clipboard) return;
  for (const button of document.querySelectorAll(".copy")) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(button.parentElement.querySelector("pre").textContent);
      button.firstChild.data = "Copied";
    });
  }
}
