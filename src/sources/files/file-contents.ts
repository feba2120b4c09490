import { TidemarkError, unlessNotFound } from '../../core/errors.ts';
import { pathOfKey, type ResourceKey } from '../../core/key.ts';
import type { ContentRoot } from '../content-root.ts';
import type { Contents } from '../contents.ts';

type ReadRoot = Pick<ContentRoot, 'open' | 'isEmpty' | 'beginReads' | 'close'>;

/** Reads the bytes of files. @param root is closed by `close`. @param name of the root, for messages */
export function fileContents(root: ReadRoot, name: string): Contents {
  return {
    ...(root.beginReads && {
      async beginReads() {
        const fill = await root.beginReads!();
        return (key: ResourceKey, buffer: Uint8Array) => {
          const path = pathOfKey(key);
          return path !== undefined && fill(path, buffer);
        };
      },
    }),
    async open({ key }) {
      const path = pathOfKey(key);
      if (path === undefined) return undefined;
      return unlessNotFound(root.open(path));
    },
    async requireThere() {
      if (!(await root.isEmpty())) return;
      throw new TidemarkError('unavailable', `${name} is empty: its resources cannot be packed`);
    },
    async close() {
      root.close?.();
    },
  };
}
