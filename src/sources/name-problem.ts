import { isTidemarkError } from '../core/errors.ts';
import { keyOfLocation } from '../core/key.ts';

// Any prefix will do: whether its URI is too long or too short depends on the set, and is checked there.
const SOME_PREFIX = 'http://localhost/';

// Nothing in it has to be encoded, so it holds no control characters either.
const PLAIN = /^[A-Za-z0-9\-._~!$&'()*+,;=:@/]*$/;
const EMPTY_OR_DOTS = /(?:^|\/)\.{0,2}(?:\/|$)/;

/** Why a name cannot be published, in the words of those who post it. */
export function nameProblem(name: string): string | undefined {
  try {
    keyOfLocation({ type: 'rel_path', value: name }, { urlPrefix: SOME_PREFIX }, 'its name');
    return undefined;
  } catch (error) {
    if (isTidemarkError(error, 'invalid')) return error.message;
    throw error;
  }
}

/** Why a path that is no folder's cannot be published: on S3, names may be empty, and files end as folders do. */
export function pathProblem(path: string): string | undefined {
  if (path.endsWith('/')) return 'its name ends with "/", as that of a folder: give it another one';
  if (PLAIN.test(path) && !EMPTY_OR_DOTS.test(path)) return undefined;
  return path
    .split('/')
    .map(nameProblem)
    .find((problem) => problem !== undefined);
}
