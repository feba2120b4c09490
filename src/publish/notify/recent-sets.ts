import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';

type Source = ReturnType<SetRegistry['source']>;

/** Milliseconds: the interval at which subscriptions are compared with the sets. */
const FRESH_MS = 500;

/** Sets, at most half a second old: each delivery needs them, and a read is a request to the store. */
export class RecentSets {
  readonly #sets: Pick<SetRegistry, 'byId' | 'list' | 'source'>;
  readonly #known = new Map<SetId | 'source' | 'list', { readonly at: number; readonly value: Promise<unknown> }>();

  constructor(sets: Pick<SetRegistry, 'byId' | 'list' | 'source'>) {
    this.#sets = sets;
  }

  byId(id: SetId): Promise<ResourceSet | undefined> {
    return this.#recent(id, () => this.#sets.byId(id));
  }

  list(): Promise<readonly ResourceSet[]> {
    return this.#recent('list', () => this.#sets.list());
  }

  source(): Source {
    return this.#recent('source', () => this.#sets.source());
  }

  #recent<Value>(name: SetId | 'source' | 'list', read: () => Promise<Value>): Promise<Value> {
    const known = this.#known.get(name);
    if (known !== undefined && performance.now() - known.at < FRESH_MS) return known.value as Promise<Value>;
    const value = read();
    this.#known.set(name, { at: performance.now(), value });
    // A failed read is repeated.
    value.catch(() => this.#known.delete(name));
    return value;
  }
}
