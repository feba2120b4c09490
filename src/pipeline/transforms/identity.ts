import type { Transform } from './transform.ts';

/** Takes documents over as they are. */
export const identity: Transform = {
  name: 'identity',
  transform: ({ id, document }) => ({ id, document }),
};
