import { createHash } from 'node:crypto';
import type { LogChange } from '../artifacts/avro/schemas.ts';
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

/** The digest of what changes say, one after the other: of a file and of a store it is the same when they are. */
export class ChangeDigest {
  readonly #hash = createHash('sha256');

  add(changes: readonly LogChange[]): void {
    // One text for a batch: hashing it costs less than handing it over in parts.
    let text = '';
    for (const { set, key, kind, stamp, window, weight, state, order } of changes) {
      // As in archives from before there were orders.
      const last = order === null ? '' : `${order}\n`;
      text += `${set} ${stamp} ${window} ${weight} ${kind} ${key}\n${state ?? ''}\n${last}`;
    }
    this.#hash.update(text);
  }

  get value(): string {
    return this.#hash.copy().digest('hex');
  }
}
