import type { Organization } from './organization.ts';

/** Who may read what, as a decision about access needs it: see access/may.ts. */
export interface ReadersOf {
  readonly slug: string;
  readonly private: boolean;
  /** Scopes of tokens. */
  readonly readers: readonly string[];
}

/** Who may read an organization, and with it the sets of its streams, beside administrators. */
export function readersOf({ id, private: isPrivate, readers = [] }: Organization): ReadersOf {
  const own = ['download', 'upload'].flatMap((verb) => [`${verb}:*`, `${verb}:${id}`]);
  return { slug: id, private: isPrivate === true, readers: [...own, ...readers.map((group) => `group:${group}`)] };
}
