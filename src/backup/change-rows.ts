import { createHash } from 'node:crypto';
import type { LogChange } from '../artifacts/avro/avro-schemas.ts';
import type { Change } from '../core/change.ts';
import { encodeState } from '../core/resource.ts';

export function toLogChange({ set, key, kind, stamp, window, weight, state, order }: Change): LogChange {
  return {
    set,
    key,
    kind,
    stamp,
    window,
    weight,
    state: state === undefined ? null : encodeState(state),
    order: order ?? null,
  };
}

/** The digest of the content of changes, in order: equal for a file and a store with equal changes. */
export class ChangeDigest {
  readonly #hash = createHash('sha256');

  add(changes: readonly LogChange[]): void {
    // One text per batch: hashing it at once costs less than in parts.
    let text = '';
    for (const { set, key, kind, stamp, window, weight, state, order } of changes) {
      // Without an order, the text is the same as in archives from before orders existed.
      const last = order === null ? '' : `${order}\n`;
      text += `${set} ${stamp} ${window} ${weight} ${kind} ${key}\n${state ?? ''}\n${last}`;
    }
    this.#hash.update(text);
  }

  get value(): string {
    return this.#hash.copy().digest('hex');
  }
}
