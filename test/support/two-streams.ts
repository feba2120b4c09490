import type { App } from '../../src/app.ts';
import { recordIdOfKey } from '../../src/core/record-key.ts';
import type { Upload } from '../../src/records/arrivals/upload.ts';
import { ArtifactRecords } from '../../src/sources/records/artifact/artifact-records.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { collect } from './builders.ts';
import { marc } from './upload-packages.ts';

/** Titles by id. */
type Records = Readonly<Record<string, string>>;
type FullFields = Pick<Upload, 'unmentioned' | 'acceptsDrop'>;

/** The organization `lane`, with the streams `old` and `new`, whose uploads a test processes itself. */
export class TwoStreams {
  readonly #app: App;

  constructor(app: App) {
    this.#app = app;
  }

  static async make(app: App): Promise<TwoStreams> {
    await app.records.organizations.add('lane', { contacts: [] });
    for (const stream of ['old', 'new']) await app.records.organizations.addStream('lane', stream);
    return new TwoStreams(app);
  }

  /** Uploads records, by id, and processes them. */
  async put(stream: string, records: Records, fields: FullFields = {}): Promise<Upload> {
    const upload = await this.receive(stream, records, fields);
    const attempt = { signal: new AbortController().signal, isLast: false, report() {}, log() {} };
    await this.#app.records.uploadProcessor.process(upload, attempt);
    return upload;
  }

  async receive(stream: string, records: Records, fields: FullFields = {}): Promise<Upload> {
    const receiving = await this.#app.records.uploads.begin('lane', stream);
    const bytes = Object.entries(records).map(([id, title]) => Buffer.from(marc(id, title)));
    await receiving.add('records.mrc', [Buffer.concat(bytes)]);
    return receiving.finish({ stream, ...fields });
  }

  /** Makes a stream the default, and syncs the sets of the organization with it. */
  async makeDefault(stream: string): Promise<void> {
    await this.#app.records.organizations.changeStream('lane', stream, { default: true });
    await this.follow();
  }

  /** Syncs all sets. */
  async follow(): Promise<void> {
    const { sets, sources, updater } = this.#app;
    for (const set of await sets.list()) {
      await sync({ set, source: sources.sourceOf(set), updater });
    }
  }

  /** The records of a set, each read by its place and compared with its digest. */
  async records(slug: string): Promise<Record<string, string>> {
    const { id } = await this.#app.sets.bySlug(slug);
    const found: Record<string, string> = {};
    // One that has read nothing yet.
    const read = new ArtifactRecords(this.#app.artifacts, this.#app.catalog);
    for (const { key, state } of (await collect(this.#app.index.read(id, {}))).flat()) {
      const { document } = await read.read(state.record!, state.hashes!['sha-256']!);
      found[recordIdOfKey(key)!] = Buffer.from(document).toString();
    }
    return found;
  }

  async stored(folder: string): Promise<readonly string[]> {
    return (await collect(this.#app.artifacts.list(folder))).map(({ key }) => key);
  }
}
