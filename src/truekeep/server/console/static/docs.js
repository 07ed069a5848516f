// Examples name the address that this page came from, and a link opens what it leads to.
for (const origin of document.querySelectorAll(".origin")) origin.textContent = location.origin;

function open() {
  const target = document.getElementById(location.hash.slice(1));
  if (!(target instanceof HTMLDetailsElement)) return;
  target.open = true;
  target.scrollIntoView();
}

addEventListener("hashchange", open);
open();
