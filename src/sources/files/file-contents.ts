import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { pathOfKey } from '../../core/key.ts';
import type { ContentRoot } from '../content-root.ts';
import type { Contents } from '../contents.ts';

interface ContentsOptions {
  /** Of the root, for messages. */
  readonly name: string;
  readonly openAtOnce: number;
}

/** The bytes of files. */
export function fileContents(
  root: Pick<ContentRoot, 'open' | 'isEmpty'>,
  { name, openAtOnce }: ContentsOptions,
): Contents {
  return {
    openAtOnce,
    async open({ key }) {
      const path = pathOfKey(key);
      if (path === undefined) return undefined;
      try {
        return await root.open(path);
      } catch (error) {
        if (isTidemarkError(error, 'not-found')) return undefined;
        throw error;
      }
    },
    async requireThere() {
      if (!(await root.isEmpty())) return;
      throw new TidemarkError('unavailable', `${name} is empty: its resources cannot be packed`);
    },
    async close() {},
  };
}
