import { shortened } from '../../lib/excerpt.ts';

/** Query parameters that are not secret. */
const SHOWN = new Set([
  'after',
  'before',
  'format',
  'from',
  'key',
  'limit',
  'order',
  'page',
  'prefix',
  'q',
  'results',
  'search',
  'until',
  'uri',
]);
const MOST_CHARACTERS = 1024;

/** The path of a request for logs: limited in length, and only with parameters that are not secret. */
export function loggedPath(url: string): string {
  const mark = url.indexOf('?');
  if (mark < 0) return shortened(url, MOST_CHARACTERS);
  const parameters = url.slice(mark + 1, mark + 1 + MOST_CHARACTERS).split('&');
  return shortened(`${url.slice(0, mark)}?${parameters.map(shown).join('&')}`, MOST_CHARACTERS);
}

function shown(parameter: string): string {
  const [name = ''] = parameter.split('=', 1);
  return SHOWN.has(name) ? parameter : `${name.slice(0, 40)}=[hidden]`;
}
