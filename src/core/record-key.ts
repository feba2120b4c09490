import { hash } from 'node:crypto';
import { TidemarkError } from './errors.ts';
import { keyOfNames, namesOfKey, type ResourceKey } from './key.ts';

/**
 * The id of a record as the key of a resource, and back. An id is one name of a path, whatever it holds: a slash is
 * `%2F`, so that no id is below another one, and none leads out of the folder of a client that mirrors the set. What
 * cannot be a name by itself begins with `=`, which is what `=` itself at the beginning of an id is doubled for:
 *
 * - `=.` and `=..` for the ids `.` and `..`, which every client takes out of a path, encoded or not;
 * - `==a` for the id `=a`;
 * - `=first part/=second part/…` for a long id: a file system takes names of 255 bytes;
 * - `=:` and the SHA-256 of an id that no URI would hold. Only for such a one the id does not follow from the key
 *   alone: its record has it.
 */

/**
 * Characters that an id takes as one name, encoded; so many the last part of a longer one has at most, which may be
 * empty. Each part before it has a few more: so no name is a folder for one id and a file for another.
 */
const MOST_OF_NAME = 200;
/** Characters of all parts together: a URI in a sitemap has at most 2,048, and the set's prefix comes before them. */
const MOST_OF_ID = 1_400;

const ESCAPE = '=';
const DIGEST = '=:';
const PLAIN_NAME = /^[A-Za-z0-9\-_~!$&'()*+,;:@][A-Za-z0-9\-._~!$&'()*+,;=:@]*$/;

/** @throws TidemarkError `invalid` for an id that is empty, or holds half of a surrogate pair */
export function keyOfRecordId(id: string): ResourceKey {
  if (id.length <= MOST_OF_NAME && PLAIN_NAME.test(id)) return `/${id}`;
  if (id === '') throw new TidemarkError('invalid', 'a record has an empty id');
  if (!id.isWellFormed()) throw new TidemarkError('invalid', `the id ${JSON.stringify(id)} is no UTF-8`, { id });
  return keyOfNames(namesOf(id));
}

/** The id that a key means; undefined for a key that no id has, and for one that holds only the digest of its id.
 */
export function recordIdOfKey(key: ResourceKey): string | undefined {
  const names = namesOfKey(key) ?? [''];
  const [name = ''] = names;
  const isEscaped = name.startsWith(ESCAPE);
  if (name.startsWith(DIGEST) || (!isEscaped && names.length > 1)) return undefined;
  const id = isEscaped ? names.map((part) => part.slice(ESCAPE.length)).join('') : name;
  // A key that another one is the right one for is none of ours.
  return id !== '' && keyOfRecordId(id) === key ? id : undefined;
}

function namesOf(id: string): readonly string[] {
  const parts = partsOf(id);
  if (parts === undefined) return [DIGEST + hash('sha256', id, 'hex')];
  if (parts.length > 1) return parts.map((part) => ESCAPE + part);
  return id === '.' || id === '..' || id.startsWith(ESCAPE) ? [ESCAPE + id] : [id];
}

/** One part when the id is short enough to be a name; undefined when it is too long for any URI. */
function partsOf(id: string): readonly string[] | undefined {
  const length = encodedLength(id);
  if (length <= MOST_OF_NAME) return [id];
  if (length > MOST_OF_ID) return undefined;
  const parts: string[] = [];
  let part = '';
  let taken = 0;
  for (const character of id) {
    part += character;
    taken += encodedLength(character);
    if (taken <= MOST_OF_NAME) continue;
    parts.push(part);
    part = '';
    taken = 0;
  }
  return [...parts, part];
}

function encodedLength(text: string): number {
  return keyOfNames([text]).length - 1;
}
