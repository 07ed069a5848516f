// A piece of a page that the server made, and escaped, in place of another; whether that went well.
// Only the latest question is answered.
const latest = new Map();

export async function load(target, address) {
  latest.get(target)?.abort();
  const asking = new AbortController();
  latest.set(target, asking);
  target.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { headers: { "X-Part": "1" }, signal: asking.signal });
    if (answer.status === 401) {
      location.reload();
      return false;
    }
    target.innerHTML = await answer.text();
    return answer.ok;
  } catch (problem) {
    if (problem.name !== "AbortError") target.textContent = "The server does not answer.";
    return false;
  } finally {
    if (latest.get(target) === asking) target.removeAttribute("aria-busy");
  }
}
