import type { App } from '../../src/app.ts';
import { recordIdOfKey } from '../../src/core/record-key.ts';
import type { NewCollection } from '../../src/records/collections/collection.ts';
import type { HarvestRequest, HarvestRun } from '../../src/records/collections/harvest-run.ts';
import type { HarvestAttempt } from '../../src/records/collections/harvest-runner.ts';
import { collect } from './builders.ts';
import type { OaiServer } from './oai-server.ts';

/** What an app must have to harvest an `OaiServer`; failed requests are repeated once. */
export const HARVESTING = { harvestNetworks: ['127.0.0.1'], harvestRetries: 1 } as const;

/** The collection `arxiv` of a repository, whose runs a test makes in its own process. */
export class HarvestedCollection {
  readonly app: App;
  readonly logged: string[] = [];

  private constructor(app: App) {
    this.app = app;
  }

  static async make(
    app: App,
    { url }: Pick<OaiServer, 'url'>,
    fields: Partial<NewCollection> = {},
  ): Promise<HarvestedCollection> {
    await app.records.collections.add('arxiv', { baseUrl: url, format: 'oai_dc', ...fields });
    return new HarvestedCollection(app);
  }

  get attempt(): HarvestAttempt {
    return { signal: new AbortController().signal, report() {}, log: (text) => this.logged.push(text) };
  }

  run(request: Partial<HarvestRequest> = {}, attempt: Partial<HarvestAttempt> = {}): Promise<HarvestRun> {
    const all = { ...this.attempt, ...attempt };
    return this.app.records.harvestRunner.runHere('arxiv', { kind: 'incremental', ...request }, all);
  }

  /** The ids of its records. */
  async ids(): Promise<readonly string[]> {
    const { id } = await this.app.sets.bySlug('arxiv');
    return (await collect(this.app.index.read(id, {}))).flat().map(({ key }) => recordIdOfKey(key)!);
  }

  /** The number of changes in the log of its set. */
  async changes(): Promise<number> {
    const { id } = await this.app.sets.bySlug('arxiv');
    return (await collect(this.app.index.changes(id, { after: 0 }))).flat().length;
  }
}
