import type { ComparedResource } from './known-resource.ts';
import type { MirrorState } from './mirror-state.ts';

const MOST_ROWS = 500;

/**
 * Reads the state of the resources of a list, in list order. Most lists are sorted by URI, so each query reads rows
 * ahead: twice as many as the last one if at least half of those were used. For a list in another order, it reads one
 * row at a time. The state must not change meanwhile.
 */
export class KnownByUri {
  readonly #state: MirrorState;
  #rows: readonly ComparedResource[] = [];
  #next = 0;
  #used = 0;
  #limit = 1;

  constructor(state: MirrorState) {
    this.#state = state;
  }

  get(uri: string): ComparedResource | undefined {
    return this.#take(uri) ?? this.#read(uri);
  }

  #read(uri: string) {
    this.#limit = this.#used * 2 >= this.#limit ? Math.min(this.#limit * 2, MOST_ROWS) : 1;
    this.#rows = this.#state.resourcesFrom(uri, this.#limit);
    this.#next = 0;
    this.#used = 0;
    return this.#rows[0]?.uri === uri ? this.#take(uri) : undefined;
  }

  /** Rows before it are not in the list. */
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
