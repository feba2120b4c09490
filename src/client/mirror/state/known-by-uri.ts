import type { KnownResource, MirrorState } from './mirror-state.ts';

const MOST_ROWS = 500;

/**
 * What the copy has of the resources of a list, one after the other. Most lists are in the order of their URIs, so the
 * resources that follow are read with the one that is asked for: as many as before were of use, twice. In a list of
 * another order, each is read by itself. Nothing may change meanwhile.
 */
export class KnownByUri {
  readonly #state: MirrorState;
  #rows: readonly Pick<KnownResource, 'id' | 'uri' | 'copied'>[] = [];
  #next = 0;
  #used = 0;
  #limit = 1;

  constructor(state: MirrorState) {
    this.#state = state;
  }

  get(uri: string): Pick<KnownResource, 'id' | 'copied'> | undefined {
    return this.#take(uri) ?? this.#read(uri);
  }

  #read(uri: string) {
    this.#limit = this.#used * 2 >= this.#limit ? Math.min(this.#limit * 2, MOST_ROWS) : 1;
    this.#rows = this.#state.resourcesFrom(uri, this.#limit);
    this.#next = 0;
    this.#used = 0;
    return this.#rows[0]?.uri === uri ? this.#take(uri) : undefined;
  }

  /** Those before it are not in the list. */
  #take(uri: string) {
    for (let at = this.#next; at < this.#rows.length; at++) {
      if (this.#rows[at]!.uri !== uri) continue;
      this.#next = at + 1;
      this.#used += 1;
      return this.#rows[at];
    }
    return undefined;
  }
}
