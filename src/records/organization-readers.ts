import type { Organization } from './organization.ts';

/** Who may read, as input of a decision about access: see access/may.ts. */
interface ReadersOf {
  readonly slug: string;
  readonly private: boolean;
  /** Scopes of tokens. */
  readonly readers: readonly string[];
}

/** Who, besides administrators, may read an organization and the sets of its streams. */
export function readersOf({ id, private: isPrivate, readers = [] }: Organization): ReadersOf {
  const own = ['download', 'upload'].flatMap((verb) => [`${verb}:*`, `${verb}:${id}`]);
  return { slug: id, private: isPrivate === true, readers: [...own, ...readers.map((group) => `group:${group}`)] };
}
