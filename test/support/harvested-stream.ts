import type { App } from '../../src/app.ts';
import { recordIdOfKey } from '../../src/core/record-key.ts';
import type { HarvestFields, Upload } from '../../src/records/arrivals/upload.ts';
import type { AppliedUpload, UploadState } from '../../src/records/arrivals/upload-state.ts';
import type { Attempt } from '../../src/records/deliveries/attempt.ts';
import { collect } from './builders.ts';
import { marc } from './upload-packages.ts';

const NAME = { organization: 'cornell', stream: 'arxiv' };

/** The stream `arxiv` of a collection of `cornell`, whose uploads a test delivers as a harvest, and processes. */
export class HarvestedStream {
  readonly logged: string[] = [];
  readonly #app: App;

  private constructor(app: App) {
    this.#app = app;
  }

  static async make(app: App): Promise<HarvestedStream> {
    await app.records.organizations.addCollectionStream(NAME.organization, NAME.stream, { title: 'arXiv' });
    return new HarvestedStream(app);
  }

  /** Fills a resumable upload as a harvest does. Returns its number. */
  async deliver(bytes: Buffer, fields: HarvestFields = {}, name = 'run.mrc'): Promise<number> {
    const { resumableUploads } = this.#app.records;
    const { organization, stream } = NAME;
    const { upload } = await resumableUploads.begin(organization, {
      ...{ stream, set: 'arxiv', files: [{ name }] },
      ...fields,
    });
    // Storing frees the bytes.
    const { length } = bytes;
    const offset = await resumableUploads.append(upload, { offset: 0, body: bodyOf(bytes) });
    const end = { offset, body: bodyOf(Buffer.alloc(0)), length };
    return (await resumableUploads.receive(organization, upload.id, end)).upload.done!.number;
  }

  full(ids: readonly string[], fields: HarvestFields = {}): Promise<number> {
    return this.deliver(recordsOf(ids), { unmentioned: 'deleted', ...fields });
  }

  upload(number: number): Promise<Upload> {
    return this.#app.records.uploads.get(NAME.organization, NAME.stream, number);
  }

  async state(number: number): Promise<UploadState> {
    return (await this.#app.records.uploads.stateOf(await this.upload(number))) ?? {};
  }

  async process(number: number, attempt: Partial<Attempt> = {}): Promise<AppliedUpload> {
    return this.#app.records.uploadProcessor.process(await this.upload(number), {
      signal: new AbortController().signal,
      isLast: false,
      report() {},
      log: (text) => this.logged.push(text),
      ...attempt,
    });
  }

  async ids(): Promise<string> {
    const { id } = await this.#app.sets.bySlug('arxiv');
    const resources = (await collect(this.#app.index.read(id, {}))).flat();
    return resources.map(({ key }) => recordIdOfKey(key)).join(' ');
  }
}

export function recordsOf(ids: readonly string[], note?: string): Buffer {
  return Buffer.concat(ids.map((id) => marc(id, note)));
}

async function* bodyOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
