/**
 * Improvements of pages with JavaScript; every page works without it. The script is inside every page, and the
 * Content-Security-Policy permits only this script, by its digest.
 *
 * - times show the reader's local time on hovering
 * - a page about work in progress is reloaded, unless the reader is using it
 * - a page that follows a stream of events is reloaded, too, at most every two seconds, while it is visible. A browser
 *   gives up a stream that is answered by an error, as a proxy answers while its server restarts: the page opens it
 *   again
 * - a form that uploads files shows its progress
 * - a form is sent once: a second click does nothing, until the reader comes back to the page
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
    stream?.addEventListener('error', ({ target }) => {
      if (target === stream && target.readyState === EventSource.CLOSED) setTimeout(() => target === stream && toggle(), 10000);
    });
  };
  document.addEventListener('visibilitychange', () => {
    toggle();
    if (!document.hidden) news();
  });
  toggle();
};
const showProgress = (form) => {
  const place = form.querySelector('.progress');
  const button = form.querySelector('button');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const request = new XMLHttpRequest();
    const fail = (text) => {
      button.disabled = false;
      place.querySelector('span').textContent = text;
    };
    request.upload.addEventListener('progress', ({ loaded, total }) => {
      place.querySelector('progress').value = total > 0 ? loaded / total : 0;
      place.querySelector('span').textContent = Math.floor((100 * loaded) / (total || 1)) + ' % sent';
    });
    request.addEventListener('load', () => {
      if (request.status < 400) location.href = request.responseURL;
      else {
        const answer = new DOMParser().parseFromString(request.responseText, 'text/html');
        fail((answer.querySelector('[role=alert]') ?? answer.querySelector('.lead'))?.textContent ?? 'It was refused.');
      }
    });
    request.addEventListener('error', () => fail('The connection broke off: nothing was uploaded. Try again.'));
    button.disabled = true;
    place.hidden = false;
    request.open('POST', form.action);
    request.setRequestHeader('Accept', 'text/html');
    request.send(new FormData(form));
  });
};
document.addEventListener('submit', (event) => {
  if (event.target.method !== 'post' || event.defaultPrevented) return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = 'yes';
  event.target.querySelector('button')?.setAttribute('aria-busy', 'true');
});
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) {
    delete form.dataset.sent;
    form.querySelector('button')?.removeAttribute('aria-busy');
  }
});
labelTimes();
plan();
follow();
for (const form of document.querySelectorAll('form[data-progress]')) showProgress(form);
`;
