import { hash } from 'node:crypto';
import { TidemarkError } from './errors.ts';
import { keyOfNames, namesOfKey, type ResourceKey } from './key.ts';

/**
 * Converts between the id of a record and the key of a resource. An id is one name of a path, whatever it contains: a
 * slash becomes `%2F`, so that no id is below another one, and none leads out of the folder of a client that mirrors
 * the set. An id that cannot be a name is encoded with a leading `=`, and so is an id that begins with `=`:
 *
 * - `=.` and `=..` for the ids `.` and `..`, which every client removes from a path, encoded or not;
 * - `==a` for the id `=a`;
 * - `=first part/=second part/…` for a long id: names in a file system have at most 255 bytes;
 * - `=:` and the SHA-256 of an id that is too long for a URI. Only such a key does not contain its id: the record
 *   has it.
 */

/**
 * Most characters of an id that is one name, encoded, and of the last part of a longer id, which may be empty. Each
 * other part has a few more: so no name is a folder for one id and a file for another.
 */
const MOST_OF_NAME = 200;
/** Most characters of all parts together: a URI in a sitemap has at most 2,048, including the prefix of the set. */
const MOST_OF_ID = 1_400;

const ESCAPE = '=';
const DIGEST = '=:';
const PLAIN_NAME = /^[A-Za-z0-9\-_~!$&'()*+,;:@][A-Za-z0-9\-._~!$&'()*+,;=:@]*$/;

/** @throws TidemarkError `invalid` for an id that is empty, or contains an unpaired surrogate */
export function keyOfRecordId(id: string): ResourceKey {
  if (id.length <= MOST_OF_NAME && PLAIN_NAME.test(id)) return `/${id}`;
  if (id === '') throw new TidemarkError('invalid', 'a record has an empty id');
  if (!id.isWellFormed())
    throw new TidemarkError(
      'invalid',
      `the id ${JSON.stringify(id)} has an unpaired surrogate, which UTF-8 cannot encode`,
      { id },
    );
  return keyOfNames(namesOf(id));
}

/** The id of a key; undefined for a key of no id, and for one that contains only the digest of its id. */
export function recordIdOfKey(key: ResourceKey): string | undefined {
  const names = namesOfKey(key) ?? [''];
  const [name = ''] = names;
  const isEscaped = name.startsWith(ESCAPE);
  if (name.startsWith(DIGEST) || (!isEscaped && names.length > 1)) return undefined;
  const id = isEscaped ? names.map((part) => part.slice(ESCAPE.length)).join('') : name;
  // Only the canonical key of an id is valid.
  return id !== '' && keyOfRecordId(id) === key ? id : undefined;
}

function namesOf(id: string): readonly string[] {
  const parts = partsOf(id);
  if (parts === undefined) return [DIGEST + hash('sha256', id, 'hex')];
  if (parts.length > 1) return parts.map((part) => ESCAPE + part);
  return id === '.' || id === '..' || id.startsWith(ESCAPE) ? [ESCAPE + id] : [id];
}

/** The parts of an id: one if it is short enough to be a name; undefined if it is too long for any URI. */
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
