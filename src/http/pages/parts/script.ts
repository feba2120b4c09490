/**
 * What pages do better with JavaScript; every page works without it. It is inside every page, and the
 * Content-Security-Policy permits it, and nothing else, by its digest.
 *
 * - times show the reader's own time on hovering
 * - a page about work in progress is loaded again, unless the reader is in the middle of something
 * - so is a page that follows a stream of events, at most every two seconds, while it is visible
 */
export const SCRIPT = `
const labelTimes = () => {
  for (const time of document.querySelectorAll('time[datetime]')) time.title = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'long' });
};
const isBusy = () => document.hidden || document.querySelector('main details[open]') || document.activeElement.closest('main') || String(getSelection());
const again = async (seconds) => {
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  try {
    const answer = isBusy() ? undefined : await fetch(location.href, { headers: { Accept: 'text/html' } });
    if (answer?.ok) {
      const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
      document.title = next.title;
      document.querySelector('main').replaceChildren(...next.querySelector('main').childNodes);
      document.body.dataset.again = next.body.dataset.again ?? '';
      document.body.dataset.follows = next.body.dataset.follows ?? '';
      labelTimes();
    }
  } catch {}
  plan();
};
const plan = () => {
  const seconds = Number(document.body.dataset.again);
  if (seconds > 0) again(seconds);
};
const follow = () => {
  if (!document.body.dataset.follows) return;
  let stream, waiting;
  const news = () => {
    waiting ??= setTimeout(() => {
      waiting = undefined;
      if (document.hidden) return;
      again(0);
    }, 2000);
  };
  const toggle = () => {
    stream?.close();
    stream = document.hidden ? undefined : new EventSource(document.body.dataset.follows);
    stream?.addEventListener('change', news);
  };
  document.addEventListener('visibilitychange', () => {
    toggle();
    if (!document.hidden) news();
  });
  toggle();
};
labelTimes();
plan();
follow();
`;
