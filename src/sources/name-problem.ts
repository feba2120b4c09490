import { isTidemarkError } from '../core/errors.ts';
import { keyOfLocation } from '../core/key.ts';

// The prefix does not matter here: the length of the URI depends on the set, and is checked there.
const SOME_PREFIX = 'http://localhost/';

// A name of these characters needs no encoding, so it contains no control characters either.
const PLAIN = /^[A-Za-z0-9\-._~!$&'()*+,;=:@/]*$/;
const EMPTY_OR_DOTS = /(?:^|\/)\.{0,2}(?:\/|$)/;

/** Why a name cannot be published, in words for the client that posts it. */
export function nameProblem(name: string): string | undefined {
  try {
    keyOfLocation({ type: 'rel_path', value: name }, { urlPrefix: SOME_PREFIX }, 'its name');
    return undefined;
  } catch (error) {
    if (isTidemarkError(error, 'invalid')) return error.message;
    throw error;
  }
}

/**
 * Why a path cannot be published as a file. On S3, names may be empty, and the name of a file may end like that of a
 * folder.
 */
export function pathProblem(path: string): string | undefined {
  if (path.endsWith('/')) return 'its name ends with "/", as that of a folder: give it another one';
  if (PLAIN.test(path) && !EMPTY_OR_DOTS.test(path)) return undefined;
  return path
    .split('/')
    .map(nameProblem)
    .find((problem) => problem !== undefined);
}
