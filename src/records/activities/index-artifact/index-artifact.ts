import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import { NAME_PREFIX, type SchemaId } from '../../../artifacts/avro/avro-schemas.ts';
import { readContainer } from '../../../artifacts/avro/container-reader.ts';
import type { FoundArtifact } from '../../../artifacts/find-artifacts.ts';
import { openArtifact } from '../../../artifacts/open-artifact.ts';
import type { IndexLocation } from '../../../config/import-location.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { mapInOrder } from '../../../lib/calls/map-in-order.ts';
import { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import { isJsonObject } from '../../transforms/document-content.ts';
import { type BulkDocument, BulkWriter, type RefusedDocument } from './bulk-writer.ts';
import { documentId, isLongId, TargetIndex } from './target-index.ts';

const INDEXED = ['MAP.3_1.IndexRecord.v1', 'MAP.4_0.IndexRecord.v1'] as const;
type IndexedSchema = (typeof INDEXED)[number];

interface IndexingOptions {
  readonly store: ArtifactStore;
  readonly artifact: FoundArtifact;
  /** Its `index` is the alias. */
  readonly location: IndexLocation;
  /** The schema that the artifact must have. */
  readonly schema?: SchemaId | undefined;
  readonly signal: AbortSignal;
  /** @param done bytes of the artifact */
  onProgress(records: number, done: number): void;
}

export interface IndexingOutcome {
  readonly artifact: string;
  readonly alias: string;
  readonly index: string;
  /** Number of records of the artifact. */
  readonly records: number;
  /** Number of documents in the index. */
  readonly documents: number;
  /** Number of documents whose record id is too long, so that their `_id` is a digest. */
  readonly longIds: number;
  readonly refused: { readonly total: number; readonly first: readonly RefusedDocument[] };
  /** Whether the alias names the index now. */
  readonly switched: boolean;
  /** Whether the alias already named the index, so that nothing was done. */
  readonly known: boolean;
  /** The indices that the alias named before. */
  readonly former: readonly string[];
}

/** Most documents and bytes of a request, unless a single document is larger. */
const MOST_DOCUMENTS = 1_000;
const MOST_BYTES = 5 * 1024 ** 2;
const REQUESTS_AT_A_TIME = 2;
const MOST_FIRST = 10;

/**
 * Writes an artifact of IndexRecords into a separate index, and switches the alias to it when it has all records. An
 * incomplete index is in no alias; the next run continues it.
 * @throws TidemarkError `invalid` for an artifact of another schema; `conflict` as TargetIndex; `unavailable` as
 *   BulkWriter
 */
export async function indexArtifact(options: IndexingOptions): Promise<IndexingOutcome> {
  const schema = requireIndexed(options);
  const { location, artifact } = options;
  const cluster = new Cluster(location, 'TIDEMARK_INTO');
  try {
    const target = new TargetIndex(cluster, location.index, artifact);
    const run = new Indexing(options, target);
    return (await target.prepare()) ? await run.known() : await run.write(cluster, schema);
  } finally {
    await cluster.close();
  }
}

function requireIndexed({ artifact: { key, schema }, schema: wanted = schema }: IndexingOptions): IndexedSchema {
  const found = INDEXED.find((id) => id === schema);
  if (found !== undefined && schema === wanted) return found;
  const problem =
    found === undefined
      ? `and an index takes ${INDEXED.join(' or ')}: run an indexing first`
      : `and ${NAME_PREFIX}${wanted} was asked for`;
  throw new TidemarkError('invalid', `${key} holds ${NAME_PREFIX}${schema}, ${problem}`, { key });
}

class Indexing {
  readonly #options: IndexingOptions;
  readonly #target: TargetIndex;
  readonly #first: RefusedDocument[] = [];
  #records = 0;
  #longIds = 0;
  #refused = 0;

  constructor(options: IndexingOptions, target: TargetIndex) {
    this.#options = options;
    this.#target = target;
  }

  async known(): Promise<IndexingOutcome> {
    const documents = await this.#target.count();
    this.#records = documents;
    return this.#outcome({ documents, switched: true, known: true });
  }

  async write(cluster: Cluster, schema: IndexedSchema): Promise<IndexingOutcome> {
    const { signal } = this.#options;
    const onRefused = (document: RefusedDocument) => this.#refuse(document);
    const writer = new BulkWriter({ cluster, index: this.#target.name, signal, onRefused });
    const batches = this.#batches(schema);
    for await (const _ of mapInOrder(batches, REQUESTS_AT_A_TIME, (batch) => writer.write(batch)))
      signal.throwIfAborted();
    const documents = await this.#target.count();
    if (this.#refused > 0 || documents !== this.#records) return this.#outcome({ documents, switched: false });
    return this.#outcome({ documents, switched: true, former: await this.#target.switchAlias() });
  }

  async *#batches(schema: IndexedSchema): AsyncGenerator<readonly BulkDocument[]> {
    const { store, artifact, signal, onProgress } = this.#options;
    const { body } = await openArtifact(store, artifact.key, { signal });
    let batch: BulkDocument[] = [];
    let bytes = 0;
    for await (const { place, records } of readContainer(body, { schema, name: artifact.key })) {
      for (const record of records) {
        const document = this.#documentOf(record);
        if (document === undefined) continue;
        if (batch.length === MOST_DOCUMENTS || (batch.length > 0 && bytes + document.length > MOST_BYTES)) {
          yield batch;
          batch = [];
          bytes = 0;
        }
        batch.push(document);
        bytes += document.length;
      }
      onProgress(this.#records, place.offset + place.length);
    }
    if (batch.length > 0) yield batch;
  }

  #documentOf({ id, document }: { readonly id: string; readonly document: string }): BulkDocument | undefined {
    this.#records += 1;
    if (isLongId(id)) this.#longIds += 1;
    if (!isJsonObject(document)) {
      this.#refuse({ id, reason: 'its document is not a JSON object' });
      return undefined;
    }
    // JSON has no line breaks within texts: those in a document have no meaning.
    const source = document.replaceAll(/[\r\n]/g, ' ');
    const lines = `${JSON.stringify({ index: { _id: documentId(id) } })}\n${source}\n`;
    return { id, lines, length: Buffer.byteLength(lines) };
  }

  #refuse(document: RefusedDocument): void {
    this.#refused += 1;
    if (this.#first.length < MOST_FIRST) this.#first.push(document);
  }

  #outcome(rest: Pick<IndexingOutcome, 'documents' | 'switched'> & Partial<IndexingOutcome>): IndexingOutcome {
    const { name: index, alias } = this.#target;
    const refused = { total: this.#refused, first: this.#first };
    const counts = { records: this.#records, longIds: this.#longIds };
    return {
      artifact: this.#options.artifact.key,
      alias,
      index,
      ...counts,
      refused,
      known: false,
      former: [],
      ...rest,
    };
  }
}
