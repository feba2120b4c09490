import { encodeContainer } from '../avro/container-writer.ts';
import type { DocumentSchemaId, RecordOf } from '../avro/schemas.ts';
import { failpoint } from '../domain/failpoint.ts';
import { Errata } from './errata.ts';
import { IdLedger, type Place } from './id-ledger.ts';
import type { InputItem } from './input-item.ts';
import { type OutputRecord, type Outputs, outputsOf } from './output-record.ts';
import type { RecordSource } from './record-source.ts';
import { Spool } from './spool.ts';
import type { Transform, TransformContext } from './transforms/transform.ts';

export interface Progress {
  readonly step: 'reading' | 'writing';
  /** Records of the input that were read. */
  readonly attempted: number;
  /** In the unit of the source's `total`; bytes of the artifact when it is written. */
  readonly done: number;
  readonly total: number | undefined;
}

export interface GatherOptions {
  readonly source: RecordSource;
  readonly schema: DocumentSchemaId;
  /** None takes records over as they are, with provider and MIME type: a harvest. */
  readonly transform: Transform | undefined;
  readonly context: TransformContext;
  readonly doc: string;
  readonly signal: AbortSignal;
  onProgress(progress: Progress): void;
}

/**
 * What a run has read and made, on disk, before anything of it is in the artifact store: the Avro file, the ids that were deleted, the records
 * that failed. Memory does not grow with any of them.
 */
export class Gathering {
  readonly errata: Errata;
  readonly ids: IdLedger;
  /** The Avro file. */
  readonly file: Spool;
  /** Ids of deleted records, as lines of JSON. */
  readonly deletions: Spool;
  /** How many records there are of each kind; `written` and `deleted` also count those that come again later. */
  readonly counts = { attempted: 0, written: 0, deleted: 0, omitted: 0 };

  private constructor(parts: Pick<Gathering, 'errata' | 'ids' | 'file' | 'deletions'>) {
    this.errata = parts.errata;
    this.ids = parts.ids;
    this.file = parts.file;
    this.deletions = parts.deletions;
  }

  /** @param folder is there already */
  static async begin(folder: string): Promise<Gathering> {
    const [errata, file, deletions] = await Promise.all([
      Errata.create(folder),
      Spool.create(folder),
      Spool.create(folder),
    ]);
    return new Gathering({ errata, ids: new IdLedger(folder), file, deletions });
  }

  /** Reads the source to its end. @throws what the source throws, and the signal's reason */
  async gather(options: GatherOptions): Promise<void> {
    const { schema, doc } = options;
    // The schema says what its records are; `outputsOf` makes no others.
    const records = this.#records(options) as AsyncIterable<readonly RecordOf[typeof schema][]>;
    for await (const chunk of encodeContainer({ schema, doc, records })) {
      this.file.add(chunk);
      await this.file.settle();
    }
    await this.file.flush();
  }

  async close(): Promise<void> {
    for (const part of [this.errata, this.ids, this.file, this.deletions]) await part.close();
  }

  async *#records(options: GatherOptions): AsyncIterable<readonly OutputRecord[]> {
    const { source, signal, onProgress } = options;
    for await (const { items, done } of source.read()) {
      signal.throwIfAborted();
      const records: OutputRecord[] = [];
      for (const item of items) {
        // Nothing is waited for when there is no need: a million promises take longer than most transforms.
        const taken = this.#take(item, options, records);
        if (taken !== undefined) await taken;
      }
      await Promise.all([this.errata.settle(), this.ids.settle(), this.deletions.settle()]);
      onProgress({ step: 'reading', attempted: this.counts.attempted, done, total: source.total?.count });
      yield records;
      failpoint('activity.read');
    }
    signal.throwIfAborted();
  }

  #take(item: InputItem, options: GatherOptions, records: OutputRecord[]): Promise<void> | undefined {
    this.counts.attempted += 1;
    if (item.kind === 'bad') {
      this.errata.fail({ id: item.id, line: item.line, ...item.problem });
      return undefined;
    }
    if (item.kind === 'deleted') {
      this.deletions.add(Buffer.from(`${JSON.stringify(item.id)}\n`));
      this.#note(item.id, { file: 'deleted', ordinal: this.counts.deleted++, line: item.line });
      return undefined;
    }
    const outputs = outputsOf(item, options);
    if (!(outputs instanceof Promise)) return this.#keep(item, outputs, records);
    return outputs.then((settled) => this.#keep(item, settled, records));
  }

  #keep({ id, line }: InputItem, outputs: Outputs, records: OutputRecord[]): undefined {
    if ('problem' in outputs) {
      this.errata.fail({ id, line, ...outputs.problem });
      return;
    }
    if (outputs.records.length === 0) this.counts.omitted += 1;
    for (const output of outputs.records) {
      records.push(output);
      this.#note(output.id, { file: 'records', ordinal: this.counts.written++, line });
    }
  }

  #note(id: string, place: Place): void {
    this.ids.add(id, place);
  }
}
