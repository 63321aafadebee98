/*
 * Keeps the page up to date while somebody looks at it.
 *
 * The runs are exchanged in place. What waits for a decision is not: a request that came between two buttons would move them under
 * the thumb that is about to press one. Instead a line at the lower edge says that something has changed, and waits to be asked.
 */
const everyMs = 10_000;

const element = (page, id) => page.getElementById(id);
const requestsOf = (page) =>
  [...page.querySelectorAll('[data-request]')].map((one) => one.dataset.request).join(' ');

async function refresh() {
  const answer = await fetch('/', { headers: { accept: 'text/html' } });
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const runs = element(fresh, 'runs');
  // Signed out meanwhile: the next press says so.
  if (runs === null) return;
  if (runs.innerHTML !== element(document, 'runs').innerHTML) {
    element(document, 'runs').replaceWith(document.adoptNode(runs));
  }
  element(document, 'changed').hidden = requestsOf(fresh) === requestsOf(document);
}

/* A gateway that is being started again is asked again. */
window.setInterval(() => {
  if (!document.hidden) refresh().catch(() => {});
}, everyMs);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) refresh().catch(() => {});
});
