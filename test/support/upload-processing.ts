import type { App } from '../../src/app.ts';
import { keyOfRecordId, recordIdOfKey } from '../../src/core/record-key.ts';
import type { Resource } from '../../src/core/resource.ts';
import type { AppliedUpload } from '../../src/records/arrivals/upload-state.ts';
import type { Attempt } from '../../src/records/deliveries/attempt.ts';
import { collect } from './builders.ts';

/** An organization `lane` with streams whose uploads a test processes itself, in any order. */
export class ProcessedStream {
  readonly app: App;
  readonly stream: string;

  private constructor(app: App, stream: string) {
    this.app = app;
    this.stream = stream;
  }

  static async make(app: App, stream = 'main'): Promise<ProcessedStream> {
    await app.records.organizations.add('lane', { contacts: [] });
    await app.records.organizations.addStream('lane', stream);
    return new ProcessedStream(app, stream);
  }

  /** Returns its number. */
  async upload(files: Readonly<Record<string, Buffer | string>>): Promise<number> {
    const receiving = await this.app.records.uploads.begin('lane', this.stream);
    for (const [name, bytes] of Object.entries(files)) await receiving.add(name, [Buffer.from(bytes)]);
    return (await receiving.finish({ stream: this.stream })).number;
  }

  async process(
    number: number,
    { isLast = false, signal = new AbortController().signal, confirm }: Partial<Attempt> = {},
  ): Promise<AppliedUpload> {
    const upload = await this.app.records.uploads.get('lane', this.stream, number);
    return this.app.records.uploadProcessor.process(upload, {
      signal,
      isLast,
      ...(confirm && { confirm }),
      report() {},
      log() {},
    });
  }

  async set() {
    return this.app.sets.bySlug(`lane--${this.stream}`);
  }

  /** The records of its set, as texts by id. */
  async records(): Promise<Record<string, string>> {
    const { id } = await this.set();
    const found: Record<string, string> = {};
    for (const { key, state } of (await collect(this.app.index.read(id, {}))).flat()) {
      const { document } = await this.app.sources.records.read(state.record!, state.hashes!['sha-256']!);
      found[recordIdOfKey(key)!] = Buffer.from(document).toString();
    }
    return found;
  }

  /** The changes of its set: `created a`. */
  async changes(): Promise<readonly string[]> {
    const { id } = await this.set();
    const changes = (await collect(this.app.index.changes(id, { after: 0 }))).flat();
    return changes.map(({ kind, key }) => `${kind} ${recordIdOfKey(key)}`);
  }

  async resource(recordId: string): Promise<Resource> {
    const { id } = await this.set();
    const [found] = await this.app.index.lookup(id, [keyOfRecordId(recordId)]);
    return found as Resource;
  }
}
