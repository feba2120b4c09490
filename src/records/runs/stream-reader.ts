import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { isMimetype, type Mimetype } from '../../artifacts/avro/mimetypes.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import type { OpenedInput } from '../activities/open-input.ts';
import { formatPosition, parseStreamInput, type StreamPosition } from '../activities/stream-input.ts';
import type { WalkedRecord } from '../digests/walk-records.ts';
import { BoundaryChoice } from '../dumps/choose-boundary.ts';
import { type BoundaryParts, findApplying } from '../dumps/dump-boundary.ts';
import { readPlaced } from '../dumps/read-placed.ts';
import { StateCopy } from '../dumps/state-copy.ts';
import type { StoredRecords } from '../forms/record-form.ts';
import { storedAs } from '../forms/record-forms.ts';
import { type InputBatch, type InputItem, idProblem, MAX_RECORD_BYTES, type RecordProblem } from '../input-item.ts';
import { streamOf } from '../organization.ts';
import type { OrganizationRegistry } from '../organization-registry.ts';
import { setOfStream } from '../stream-set-names.ts';

interface StreamReaderParts extends BoundaryParts {
  readonly index: Pick<ResourceIndex, 'changes' | 'watermark' | 'mark' | 'states' | 'summary'>;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'name'>;
  readonly sets: Pick<SetRegistry, 'bySlug'>;
  readonly organizations: Pick<OrganizationRegistry, 'get'>;
  /** The folder of scratch databases. */
  readonly folder: string;
}

type FoundStream = Pick<StreamPosition, 'organization' | 'stream'> & { readonly set: ResourceSet['id'] };

/** The records of streams, as the input of harvests. */
export class StreamReader {
  readonly #parts: StreamReaderParts;

  constructor(parts: StreamReaderParts) {
    this.#parts = parts;
  }

  /**
   * Opens the records that a stream has now: with all that an upload changed, or nothing of it.
   * @throws TidemarkError `invalid`; `not-found`; `conflict` when an upload is being applied for long
   */
  async open(from: string, signal: AbortSignal): Promise<OpenedInput> {
    const { index, artifacts, folder } = this.#parts;
    const { set, ...name } = await this.#find(from);
    const choice = new BoundaryChoice(name, this.#parts, { signal });
    makeFolder(folder);
    const copy = new StateCopy(set, folder);
    try {
      await choice.waitForUploads();
      await copy.begin(index, () => signal.throwIfAborted());
      const { until, uploads } = await choice.choose();
      await copy.catchUp(index, until);
      const upload = uploads.length === 0 ? undefined : Math.max(...uploads.map(({ number }) => number));
      const total = { count: copy.size, unit: 'records' } as const;
      const source = { total, read: () => readAll(copy, artifacts), close: () => copy.close() };
      return { source, url: formatPosition({ ...name, upload, until }) };
    } catch (error) {
      copy.close();
      throw error;
    } finally {
      await choice.close();
    }
  }

  /** The stamp of its last change, 0 without one; undefined when there is no such stream. */
  async lastChange(from: string): Promise<(FoundStream & { readonly lastChange: Stamp }) | undefined> {
    try {
      const found = await this.#find(from);
      return { ...found, lastChange: (await this.#parts.index.summary(found.set)).lastChange };
    } catch (error) {
      if (isTidemarkError(error, 'not-found')) return undefined;
      throw error;
    }
  }

  /** Whether an upload of the stream is being applied. */
  async isChanging(name: Pick<FoundStream, 'organization' | 'stream'>): Promise<boolean> {
    return 'reason' in (await findApplying(name, this.#parts));
  }

  async #find(from: string): Promise<FoundStream> {
    const { organizations, sets } = this.#parts;
    const { organization, stream: named } = parseStreamInput(from);
    const found = await organizations.get(organization);
    const stream = named ?? found.defaultStream;
    if (stream === undefined) {
      throw new TidemarkError('not-found', `the organization ${organization} has no stream yet`, { organization });
    }
    const { set: slug } = streamOf(found, stream);
    const { id: set } = await sets.bySlug(setOfStream({ organization, stream, set: slug }, 'records'));
    return { organization, stream, set };
  }
}

async function* readAll(copy: StateCopy, artifacts: StreamReaderParts['artifacts']): AsyncIterable<InputBatch> {
  let done = 0;
  const records = copy.rows().map((row) => copy.placed.recordOf(row));
  for await (const block of readPlaced(records, artifacts)) {
    const items: InputItem[] = [];
    for (const record of block) items.push(await itemOf(record));
    done += items.length;
    yield { items, done };
  }
}

async function itemOf({ id, document: { buffer, byteOffset, length }, mime }: WalkedRecord): Promise<InputItem> {
  const bad = (problem: RecordProblem): InputItem => ({ kind: 'bad', id, problem });
  const wrongId = idProblem(id);
  if (wrongId !== undefined) return bad(wrongId);
  try {
    const { mimetype, render } = textualForm(storedAs(mime));
    const document = await render(Buffer.from(buffer, byteOffset, length));
    if (document.length > MAX_RECORD_BYTES) {
      const message = `as ${mimetype}, it has more than ${MAX_RECORD_BYTES / 1024 ** 2} MB`;
      return bad({ kind: 'document-too-long', message });
    }
    return { kind: 'record', id, document: document.toString(), mimetype };
  } catch (error) {
    return bad({ kind: 'not-writable', message: `it cannot be written as text: ${(error as Error).message}` });
  }
}

interface TextualForm {
  readonly mimetype: Mimetype;
  render(document: Buffer): Buffer | Promise<Buffer>;
}

/** The text of records that has one of the media types of documents, such as MARCXML. */
function textualForm({ stored, rendered, input }: StoredRecords): TextualForm {
  const asStored = { ...stored, render: (document: Buffer) => document };
  for (const { mime, render } of [...(input === undefined ? [] : [input]), asStored, ...rendered]) {
    const mimetype = mime.replace(/^application\/.*\+(?=xml$|json$)/, 'application/');
    if (isMimetype(mimetype)) return { mimetype, render };
  }
  throw new TidemarkError('invalid', `${stored.mime} has no representation in XML, JSON or Turtle`);
}
