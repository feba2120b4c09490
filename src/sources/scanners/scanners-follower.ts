import type { SetId } from '../../core/resource-set.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import { CatalogFollower } from '../../stores/catalog-follower.ts';
import { NO_SCANNERS, type ScannerState } from './scanner-state.ts';

/** Paths of a set that a server was notified of and that another one scans. */
export interface PassedPaths {
  /** The number of the last notification. */
  readonly last: number;
  /** Those that were not scanned yet. The empty path means all. */
  readonly waiting: readonly { readonly number: number; readonly paths: readonly string[] }[];
}

const PATHS = 'paths-';

export function passedPathsId(set: SetId): string {
  return `${PATHS}${set}`;
}

/** Reads the documents of the kind `scanners`: one request while none of them has changed. */
export class ScannersFollower {
  state: ScannerState = NO_SCANNERS;
  /** Undefined while there is no document. */
  version: number | undefined;
  readonly #passed = new Map<SetId, PassedPaths>();
  readonly #catalog: Pick<Catalog, 'get' | 'head' | 'list'>;
  readonly #follower: CatalogFollower<ScannerState | PassedPaths>;

  constructor(catalog: Pick<Catalog, 'get' | 'head' | 'list'>) {
    this.#catalog = catalog;
    this.#follower = new CatalogFollower(catalog, { kind: 'scanners', onPut: (document) => this.#take(document) });
  }

  /** @throws TidemarkError `unavailable` */
  load(): Promise<void> {
    return this.#follower.load();
  }

  /**
   * Reads the state itself, whatever was read before. The store may have been replaced, or a node that was cut off has
   * shown a version that no other one has: `load` would wait for a later one.
   * @throws TidemarkError `unavailable`
   */
  async readAgain(): Promise<void> {
    const stored = await this.#catalog.get<ScannerState>('scanners', 'state');
    this.state = stored?.body ?? NO_SCANNERS;
    this.version = stored?.version;
  }

  /** The state as of at most a second ago. @throws TidemarkError `unavailable` */
  async recent(): Promise<ScannerState> {
    await this.#follower.loadUnlessFresh();
    return this.state;
  }

  /** Takes over what this process has written. */
  remember(state: ScannerState, version: number): void {
    if (version <= (this.version ?? 0)) return;
    this.state = state;
    this.version = version;
  }

  /** The sets with passed paths that were not scanned yet. */
  get passed(): ReadonlyMap<SetId, PassedPaths> {
    return this.#passed;
  }

  #take({ id, version, body }: CatalogDocument<ScannerState | PassedPaths>): void {
    const set = Number(id.slice(PATHS.length));
    if ('members' in body) this.remember(body, version);
    else if (body.waiting.length > 0) this.#passed.set(set, body);
    else this.#passed.delete(set);
  }
}
