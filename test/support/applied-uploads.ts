import { randomUUID } from 'node:crypto';
import type { App } from '../../src/app.ts';
import type { ObjectKey } from '../../src/artifacts/artifact-store.ts';
import { encodeContainer } from '../../src/artifacts/avro/container-writer.ts';
import { documentMetadata } from '../../src/artifacts/avro/document-type.ts';
import type { UploadReadingKey } from '../../src/artifacts/keys/stream-keys.ts';
import { putArtifact } from '../../src/artifacts/put-artifact.ts';
import { entryWeight } from '../../src/core/entry-weight.ts';
import { keyOfRecordId } from '../../src/core/record-key.ts';
import { decodeState } from '../../src/core/resource.ts';
import { uploadId } from '../../src/records/arrivals/upload.ts';
import type { UploadState } from '../../src/records/arrivals/upload-state.ts';
import { type ComparedArtifact, digestRecords } from '../../src/records/digests/digest-records.ts';
import { RecordSort } from '../../src/records/digests/record-sort.ts';
import { setOfStream } from '../../src/records/stream-set-names.ts';

/** What an upload says of each id: its document in MARC21, or that it is to be deleted. */
export type UploadChanges = ReadonlyMap<string, Buffer | undefined>;

type Parts = Pick<App, 'catalog' | 'index' | 'sets' | 'artifacts' | 'updater'>;

/** Events of a commit, unless another number is given. */
const EVENTS = 10;

interface UploadsPlace {
  readonly organization: string;
  readonly stream: string;
  /** For sorting. */
  readonly folder: string;
  readonly eventsPerCommit?: number;
}

/**
 * Uploads of one stream as the processing of them leaves them: an artifact of records, events with the number of the
 * upload as their order, and the document that says how far it has come.
 */
export class AppliedUploads {
  readonly #app: Parts;
  readonly #organization: string;
  readonly #stream: string;
  /** The folder for sorting. */
  readonly #folder: string;
  readonly #eventsPerCommit: number;
  number = 0;
  /** The media type of the records of the next uploads; undefined for MARC21. */
  mime: string | undefined;

  constructor(app: Parts, { organization, stream, folder, eventsPerCommit = EVENTS }: UploadsPlace) {
    this.#app = app;
    this.#organization = organization;
    this.#stream = stream;
    this.#folder = folder;
    this.#eventsPerCommit = eventsPerCommit;
  }

  /** @param between is awaited after each commit */
  async apply(
    changes: UploadChanges,
    options: { readonly errata?: readonly object[]; between?(): Promise<void> } = {},
  ) {
    const begun = await this.begin(changes, options.errata);
    for (const post of begun.commits) {
      await post();
      await options.between?.();
    }
    await begun.end();
  }

  /** Stores what an upload has, and records that it is being applied; the caller commits it, part by part. */
  async begin(changes: UploadChanges, errata: readonly object[] = []) {
    const number = ++this.number;
    const records = await this.#putRecords(number, changes);
    const errataKey = errata.length === 0 ? undefined : await this.#putErrata(number, errata);
    const deletions = [...changes.values()].filter((document) => document === undefined).length;
    const totals = { files: 1, records: changes.size - deletions, deletions, errors: errata.length };
    const read = { at: Date.now(), files: [], totals, records, ...(errataKey && { errata: errataKey }) };
    const applying = { after: await this.#app.index.watermark() };
    const version = await this.#put(number, { read, applying }, undefined);
    const events = await this.#eventsOf(number, records, changes);
    const commits: (() => Promise<unknown>)[] = [];
    for (let at = 0; at < events.length; at += this.#eventsPerCommit) {
      commits.push(() => this.#app.updater.post(events.slice(at, at + this.#eventsPerCommit)));
    }
    const applied = {
      at: Date.now(),
      created: 0,
      updated: 0,
      deleted: 0,
      unchanged: 0,
      unknown: 0,
      superseded: 0,
      replaced: 0,
    };
    return { number, records, commits, end: () => this.#put(number, { read, applying, applied }, version) };
  }

  #put(number: number, state: UploadState, replaces: number | undefined): Promise<number> {
    const id = uploadId(this.#organization, this.#stream, number);
    return this.#app.catalog.put('upload-state', id, state, replaces);
  }

  async #putRecords(number: number, changes: UploadChanges): Promise<ObjectKey> {
    const records = [...changes].map(([id, document]) => ({ id, document: document?.toString() ?? '' }));
    const encoded = encodeContainer({
      schema: 'stream.Record.v1',
      codec: 'zstandard',
      records: batches(records),
      metadata: documentMetadata(this.mime),
    });
    return (await putArtifact(this.#app.artifacts, this.#keyOf('stream-records', number), encoded)).key;
  }

  async #putErrata(number: number, errata: readonly object[]): Promise<ObjectKey> {
    const lines = errata.map((erratum) => `${JSON.stringify(erratum)}\n`).join('');
    return (await putArtifact(this.#app.artifacts, this.#keyOf('upload-errata', number), [Buffer.from(lines)])).key;
  }

  #keyOf(kind: UploadReadingKey['kind'], number: number): UploadReadingKey {
    const id = randomUUID().replaceAll('-', '');
    return { kind, organization: this.#organization, stream: this.#stream, number, id };
  }

  async #eventsOf(number: number, key: ObjectKey, changes: UploadChanges) {
    const name = { organization: this.#organization, stream: this.#stream };
    const { id: set, urlPrefix, publishHashes } = await this.#app.sets.bySlug(setOfStream(name, 'records'));
    const sort = new RecordSort({ publishHashes, folder: this.#folder });
    const artifact: ComparedArtifact = { key, schema: 'stream.Record.v1', start: number };
    try {
      for await (const _ of digestRecords({ artifacts: this.#app.artifacts, artifact, sort }));
      const states = new Map([...sort.sorted(() => {})].map((row) => [row.key, row.stateAt(key, number)]));
      const known = await this.#app.index.lookup(set, [...states.keys()]);
      const current = new Map([...states.keys()].map((one, at) => [one, known[at]?.state]));
      return [...changes].map(([id, document]) => {
        const resource = keyOfRecordId(id);
        const made = document === undefined ? undefined : decodeState(states.get(resource)!);
        const before = current.get(resource);
        const isSame = made !== undefined && before?.hashes?.['sha-256'] === made.hashes!['sha-256'];
        const state = isSame ? before : made;
        return { set, key: resource, state, weight: entryWeight(urlPrefix, resource, state), order: number };
      });
    } finally {
      await sort.close();
    }
  }
}

async function* batches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}
