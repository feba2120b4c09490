import { createHash } from 'node:crypto';
import type { App } from '../../src/app.ts';
import { formatKey } from '../../src/artifacts/artifact-key.ts';
import { type BlockPlace, encodeContainer } from '../../src/artifacts/avro/container-writer.ts';
import { documentMetadata } from '../../src/artifacts/avro/document-type.ts';
import { entryWeight } from '../../src/core/entry-weight.ts';
import { keyOfRecordId } from '../../src/core/record-key.ts';
import type { ResourceSet } from '../../src/core/resource-set.ts';
import type { Collection } from '../../src/records/collections/collection.ts';
import { type OaiRecord, writeOaiRecord } from '../../src/records/forms/oai/oai-record.ts';
import { OAI_DC } from '../../src/records/metadata-format.ts';

const MIME = 'application/xml';

/** A collection with its set, to which a test posts records as a harvest does. */
export class HarvestedSet {
  readonly set: ResourceSet;
  readonly #app: App;
  /** The key of the artifact that was written last. */
  artifact = '';
  #number = 0;

  private constructor(app: App, set: ResourceSet) {
    this.#app = app;
    this.set = set;
  }

  static async make(app: App, id: string, fields: Partial<Collection> = {}): Promise<HarvestedSet> {
    const collection: Collection = {
      id,
      provider: 'cornell',
      created: 0,
      scheduledSince: 0,
      baseUrl: 'https://export.example.org/oai2',
      format: OAI_DC.prefix,
      sets: [],
      malformed: 'stop',
      repository: {
        name: 'A source',
        granularity: 'second',
        deletions: 'persistent',
        earliest: '2005-01-01',
        formats: [OAI_DC],
        sets: [
          { spec: 'physics', name: 'Physics' },
          { spec: 'physics:hep-th', name: 'High energy' },
        ],
      },
      ...fields,
    };
    await app.catalog.put('collection', id, collection, undefined);
    await app.sets.add({ slug: id, origin: { kind: 'stream', organization: 'cornell', stream: id } });
    await app.sets.markReady(id);
    return new HarvestedSet(app, await app.sets.bySlug(id));
  }

  /** Posts records by their identifiers; undefined for one that is deleted. */
  async post(records: Readonly<Record<string, OaiRecord | undefined>>): Promise<void> {
    const { id: set, urlPrefix } = this.set;
    this.#number += 1;
    const present = Object.entries(records).flatMap(([id, found]) =>
      found === undefined ? [] : [{ id, document: writeOaiRecord(found).toString() }],
    );
    const states = present.length === 0 ? new Map() : await this.#store(present);
    await this.#app.updater.post(
      Object.keys(records).map((id) => {
        const [key, state] = [keyOfRecordId(id), states.get(id)];
        return { set, key, state, weight: entryWeight(urlPrefix, key, state), order: this.#number };
      }),
    );
  }

  async #store(present: readonly { readonly id: string; readonly document: string }[]) {
    const artifact = formatKey({
      kind: 'stream-records',
      organization: 'cornell',
      stream: this.set.slug,
      number: this.#number,
      id: createHash('sha256').update(JSON.stringify(present)).digest('hex').slice(0, 32),
    });
    this.artifact = artifact;
    const blocks: BlockPlace[] = [];
    const onBlock = (block: BlockPlace) => void blocks.push(block);
    const [schema, metadata] = ['stream.Record.v1', documentMetadata(MIME)] as const;
    await this.#app.artifacts.put(artifact, encodeContainer({ schema, metadata, records: batches(present), onBlock }));
    const places = blocks.flatMap(({ offset, length, records }) =>
      Array.from({ length: records }, (_, position) => ({ artifact, offset, length, position })),
    );
    return new Map(present.map(({ id, document }, at) => [id, { ...stateOf(document), record: places[at]! }] as const));
  }
}

function stateOf(document: string) {
  return {
    lastmod: 1_700_000_000,
    length: Buffer.byteLength(document),
    hashes: { 'sha-256': createHash('sha256').update(document).digest('hex') },
    mime: MIME,
  };
}

async function* batches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}

/** A record of oai_dc. */
export function dcRecord(identifier: string, title: string, fields: Partial<OaiRecord> = {}): OaiRecord {
  return {
    header: { identifier, datestamp: '2024-01-01T00:00:00Z', setSpecs: ['physics:hep-th'], deleted: false },
    metadata: `<oai_dc:dc xmlns:oai_dc="${OAI_DC.namespace}" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${title}</dc:title></oai_dc:dc>`,
    about: [],
    ...fields,
  };
}
