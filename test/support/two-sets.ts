import { SetRegistry } from '../../src/sets/set-registry.ts';
import type { Stores } from '../../src/stores/open-stores.ts';
import { URL_PREFIX } from './builders.ts';

/** Where stores can be opened as often as wanted, always on the same data; `dispose` removes it. */
export type StartStores = () => Promise<{ open(): Promise<Stores>; dispose(): Promise<void> }>;

/** An empty store for each test, with the sets `maps` and `texts`. */
export class TwoSets {
  readonly #start: StartStores;
  readonly #epochStart: number | undefined;
  #place: Awaited<ReturnType<StartStores>> | undefined;
  #opened: Stores[] = [];
  #stores: Stores | undefined;
  maps = 0;
  texts = 0;

  /** @param epochStart for histories that are older than the sets */
  constructor(start: StartStores, epochStart?: number) {
    this.#start = start;
    this.#epochStart = epochStart;
    beforeEach(() => this.#begin());
    afterEach(async () => {
      await this.close();
      await this.#place?.dispose();
    });
  }

  /** Of this process. */
  get stores(): Stores {
    return this.#stores!;
  }

  /** As another process has them open. */
  async openAgain(): Promise<Stores> {
    const stores = await this.#place!.open();
    this.#opened.push(stores);
    return stores;
  }

  async close(): Promise<void> {
    for (const { close } of this.#opened.splice(0)) await close();
  }

  async reopen(): Promise<void> {
    await this.close();
    this.#stores = await this.openAgain();
  }

  async #begin(): Promise<void> {
    this.#place = await this.#start();
    this.#stores = await this.openAgain();
    const sets = new SetRegistry(this.stores.catalog, this.stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    const more = { urlPrefix: URL_PREFIX, ...(this.#epochStart !== undefined && { epochStart: this.#epochStart }) };
    this.maps = (await sets.add({ slug: 'maps', windowChanges: 4, ...more })).id;
    this.texts = (await sets.add({ slug: 'texts', ...more })).id;
  }
}
