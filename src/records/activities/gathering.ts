import type { RecordOf } from '../../artifacts/avro/avro-schemas.ts';
import { encodeContainer } from '../../artifacts/avro/container-writer.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { ErrataWriter } from '../errata/errata-writer.ts';
import type { BadInput, InputBatch, InputItem, RecordProblem } from '../input-item.ts';
import { isLikelyRdf, isOfRdf } from '../transforms/document-content.ts';
import { harvestedRecord, type OutputRecord, type Outputs, type OutputTarget } from '../transforms/output-record.ts';
import type { RecordTransformer } from '../transforms/transform-runner.ts';
import { IdLedger } from './id-ledger.ts';
import type { RecordSource } from './readers/record-source.ts';
import { Spool } from './spool.ts';

/** Number of pieces of a batch that are being transformed, or wait for it. */
const PIECES_AHEAD = 3;
/** Most records that are transformed at a time: a few bytes of input may become a large document each. */
const PIECE = 32;

export interface Progress {
  readonly step: 'reading' | 'writing';
  /** Number of records of the input that were read. */
  readonly attempted: number;
  /** In the unit of the source's `total`; bytes of the artifact while it is written. */
  readonly done: number;
  readonly total: number | undefined;
}

interface GatherOptions extends OutputTarget {
  readonly source: RecordSource;
  /** Undefined for a harvest, which keeps records as they are, with provider and MIME type. */
  readonly transform: RecordTransformer | undefined;
  readonly doc: string;
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
}

/**
 * The input and output of a run: the Avro file and the ids that were deleted, gathered on disk before they are in the
 * artifact store, and the records that failed. Memory does not grow with any of them.
 */
export class Gathering {
  readonly errata: ErrataWriter;
  readonly ids: IdLedger;
  /** The Avro file. */
  readonly file: Spool;
  /** Ids of deleted records, as lines of JSON. */
  readonly deletions: Spool;
  /** Number of records of each kind; all except `attempted` also count records that a later one replaces. */
  readonly counts = { attempted: 0, written: 0, deleted: 0, omitted: 0, notRdf: 0 };

  private constructor(parts: Pick<Gathering, 'errata' | 'ids' | 'file' | 'deletions'>) {
    this.errata = parts.errata;
    this.ids = parts.ids;
    this.file = parts.file;
    this.deletions = parts.deletions;
  }

  /** @param folder must exist */
  static async begin(folder: string, errata: ErrataWriter): Promise<Gathering> {
    const ids = new IdLedger(folder);
    const [file, deletions] = await Promise.all([Spool.create(folder), Spool.create(folder)]);
    return new Gathering({ errata, ids, file, deletions });
  }

  /** Reads the source to its end. @throws what the source throws, and the signal's reason */
  async gather(options: GatherOptions): Promise<void> {
    const { schema, doc } = options;
    // The schema determines the type of its records; output-record.ts makes no others.
    const records = this.#records(options) as AsyncIterable<readonly RecordOf[typeof schema][]>;
    for await (const chunk of encodeContainer({ schema, doc, records })) {
      this.file.add(chunk);
      await this.file.settle();
    }
    await this.file.flush();
  }

  async close(): Promise<void> {
    await this.errata.abandon();
    for (const part of [this.ids, this.file, this.deletions]) await part.close();
  }

  async *#records(options: GatherOptions): AsyncIterable<readonly OutputRecord[]> {
    const { source, schema, transform, signal, onProgress } = options;
    // Pieces are read and sent ahead of the transform's thread. A harvest has no such thread.
    const [input, atATime] = transform === undefined ? [source.read(), 1] : [inPieces(source.read()), PIECES_AHEAD];
    const batches = mapInOrder(input, atATime, async (batch) => ({
      ...batch,
      outputs: await outputsOf(batch, options),
    }));
    for await (const { items, done, outputs } of batches) {
      signal.throwIfAborted();
      const records: OutputRecord[] = [];
      for (const [at, item] of items.entries()) this.#take(item, outputs[at], records);
      if (isOfRdf(schema)) this.counts.notRdf += countOther(records);
      await Promise.all([this.errata.settle(), this.deletions.settle()]);
      onProgress({ step: 'reading', attempted: this.counts.attempted, done, total: source.total?.count });
      yield records;
      failpoint('activity.read');
    }
    signal.throwIfAborted();
  }

  /** @param outputs of a record; undefined for an item that is not a record */
  #take(item: InputItem, outputs: Outputs | undefined, records: OutputRecord[]): void {
    this.counts.attempted += 1;
    if (item.kind === 'bad') {
      this.#fail(item, item.problem);
    } else if (item.kind === 'deleted') {
      this.deletions.add(Buffer.from(`${JSON.stringify(item.id)}\n`));
      this.ids.add(item.id, { file: 'deleted', ordinal: this.counts.deleted++, line: item.line });
    } else this.#keep(item, outputs!, records);
  }

  #fail({ id, line }: Pick<BadInput, 'id' | 'line'>, { kind, message: reason }: RecordProblem): void {
    this.errata.add({ id, line, kind, reason });
  }

  #keep({ id, line }: InputItem, outputs: Outputs, records: OutputRecord[]): void {
    if ('problem' in outputs) {
      this.#fail({ id, line }, outputs.problem);
      return;
    }
    if (outputs.records.length === 0) this.counts.omitted += 1;
    for (const output of outputs.records) {
      records.push(output);
      this.ids.add(output.id, { file: 'records', ordinal: this.counts.written++, line });
    }
  }
}

async function* inPieces(batches: AsyncIterable<InputBatch>): AsyncGenerator<InputBatch> {
  for await (const { items, done } of batches) {
    for (let at = 0; at < items.length; at += PIECE) yield { items: items.slice(at, at + PIECE), done };
  }
}

function countOther(records: readonly OutputRecord[]): number {
  return records.filter(({ document }) => !isLikelyRdf(document)).length;
}

/** The results of the items of a batch; undefined for one that is not a record. */
async function outputsOf(
  { items }: InputBatch,
  { transform, schema, context }: GatherOptions,
): Promise<readonly (Outputs | undefined)[]> {
  if (transform === undefined) {
    return items.map((item) => (item.kind === 'record' ? harvestedRecord(item, context.provider) : undefined));
  }
  const records = items.filter((item) => item.kind === 'record');
  const inputs = records.map(({ id, document, mimetype }) => ({ id, document, mimetype }));
  const outputs = await transform.transform(inputs, { schema, context });
  const of = new Map<InputItem, Outputs>(records.map((item, at) => [item, outputs[at]!]));
  return items.map((item) => of.get(item));
}
