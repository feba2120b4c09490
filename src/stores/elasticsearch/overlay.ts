import type { EncodedState } from '../../domain/resource.ts';
import type { Stamp } from '../../domain/stamp.ts';
import type { CommitRecord } from './commit-record.ts';
import { orderOf } from './documents.ts';

/** What is known of a key; stamp 0 and no state for one that never was. */
export interface Standing {
  readonly state: EncodedState | undefined;
  readonly stamp: Stamp;
  readonly created: Stamp;
  readonly weight: number;
}

interface Laid extends Standing {
  readonly commit: number;
}

/** What commits that are perhaps not applied yet did to which keys. */
export class Overlay {
  /** By order (set and key). */
  readonly #standings = new Map<string, Laid>();

  lay({ number, changes }: CommitRecord): void {
    for (const { set, key, encoded, stamp, created, weight } of changes) {
      this.#standings.set(orderOf(set, key), { state: encoded, stamp, created, weight, commit: number });
    }
  }

  lift({ number, changes }: CommitRecord): void {
    for (const { set, key } of changes) {
      const order = orderOf(set, key);
      if (this.#standings.get(order)?.commit === number) this.#standings.delete(order);
    }
  }

  get(order: string): Standing | undefined {
    return this.#standings.get(order);
  }
}
