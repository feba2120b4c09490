import type { Transform } from './transform.ts';

/** Returns documents unchanged. */
export const identity: Transform = {
  name: 'identity',
  transform: ({ id, document }) => ({ id, document }),
};
