import { parse } from 'content-disposition';
import { MOST_FILE_NAME } from './upload.ts';

const UNNAMED = 'upload';

/** The name of a fetched file: from the server's header, or the last part of the path. */
export function fetchedName(url: string, disposition: string | undefined): string {
  return asName(namedBy(disposition)) || asName(lastPart(url)) || UNNAMED;
}

function namedBy(disposition: string | undefined): string {
  if (disposition === undefined) return '';
  try {
    return parse(disposition).parameters.filename ?? '';
  } catch {
    return '';
  }
}

function lastPart(url: string): string {
  const part = new URL(url).pathname.split('/').at(-1)!;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The name without folders and forbidden characters; empty when nothing is left. */
function asName(text: string): string {
  const [last = ''] = text.toWellFormed().split(/[/\\]/).slice(-1);
  const name = last
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, MOST_FILE_NAME)
    .toWellFormed();
  return name === '.' || name === '..' ? '' : name;
}
