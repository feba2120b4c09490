import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { MarcField } from '../../src/records/forms/marc/marc-record.ts';
import { FieldPool, type PooledField, pooledControlField } from './marc-field-pool.ts';
import { randomOf, type SampleRecord } from './marc-records.ts';

/*
 * A catalogue of any size whose records are made when they are asked for, some 50,000 a second:
 *
 *   const catalogue = new Catalogue({ seed: 1 });
 *   await writeCatalogueFile({ catalogue, format: 'marc21', entries: entriesFrom(0, 1_000_000), file: 'full.mrc' });
 *   const night = [{ number: 7, version: 1 }, { number: 8, deleted: true }, { number: 1_000_000 }];
 *   await writeCatalogueFile({ catalogue, format: 'marcxml', entries: night, file: 'night.xml.gz', gzip: true });
 *   await writeCatalogueFile({ catalogue, format: 'ids', entries: [{ number: 9 }], file: 'deleted.txt' });
 *
 * `catalogueFile` returns the same bytes as chunks, `catalogue.marc21(entry)`, `.marcxml(entry)` and `.record(entry)`
 * one record. For odd records (empty subfields, MARC-8, above 99,999 bytes) there is `sampleRecords`.
 */

export interface CatalogueOptions {
  /** The same seed makes the same catalogue. */
  readonly seed: number;
  /** Bytes of a record in MARC21 on average, at most 60,000; default 1,500. Each has half of it to one and a half. */
  readonly bytes?: number;
  /** What its ids begin with; default `rec`. */
  readonly prefix?: string;
}

/** A state of a record. The same catalogue and entry have the same bytes. */
export interface CatalogueEntry {
  readonly number: number;
  /** Another version has another 005 and another note, and is the same otherwise; default 0. */
  readonly version?: number;
  /** Leader/05 is `d`, and only the control fields remain. */
  readonly deleted?: boolean;
}

const LEADER_LENGTH = 24;
const ENTRY_LENGTH = 12;
const DAY_MS = 86_400_000;
/** What the fields that are not counted take, less the half field by which a record is too short on average. */
const BYTES_OF_OTHERS = 110;

export class Catalogue {
  readonly #seed: number;
  readonly #bytes: number;
  readonly #prefix: string;
  readonly #pool: FieldPool;
  readonly #changedFields = new Map<number, PooledField>();

  constructor({ seed, bytes = 1_500, prefix = 'rec' }: CatalogueOptions) {
    this.#seed = seed;
    this.#bytes = bytes;
    this.#prefix = prefix;
    this.#pool = new FieldPool(seed);
  }

  /** Of all numbers that have at most 9 digits, the ids are in the order of the numbers. */
  idOf(number: number): string {
    return this.#prefix + String(number).padStart(9, '0');
  }

  record(entry: CatalogueEntry): SampleRecord {
    const fields = this.#fieldsOf(entry).map(({ field }): MarcField => field);
    return { leader: `00000${statusOf(entry)}am a2200000 a 4500`, fields };
  }

  marc21(entry: CatalogueEntry): Buffer {
    const fields = this.#fieldsOf(entry);
    const base = LEADER_LENGTH + ENTRY_LENGTH * fields.length + 1;
    let directory = '';
    let start = 0;
    for (const { tag, bytes } of fields) {
      directory += tag + digits(bytes.length, 4) + digits(start, 5);
      start += bytes.length;
    }
    const leader = `${digits(base + start + 1, 5)}${statusOf(entry)}am a22${digits(base, 5)} a 4500`;
    const record = Buffer.allocUnsafe(base + start + 1);
    let at = record.write(`${leader}${directory}\x1e`, 'latin1');
    for (const { bytes } of fields) {
      record.set(bytes, at);
      at += bytes.length;
    }
    record[at] = 0x1d;
    return record;
  }

  marcxml(entry: CatalogueEntry): Buffer {
    const head = `<record>\n<leader>00000${statusOf(entry)}am a2200000 a 4500</leader>\n`;
    return Buffer.concat([Buffer.from(head), ...this.#fieldsOf(entry).map(({ xml }) => xml), XML_RECORD_END]);
  }

  #fieldsOf({ number, version = 0, deleted = false }: CatalogueEntry): readonly PooledField[] {
    const fields = [pooledControlField('001', this.idOf(number)), this.#changedField(version), this.#pool.fixedData];
    if (deleted) return fields;
    const random = randomOf(Math.imul(this.#seed, 0x9e3779b1) ^ Math.imul(number + 1, 0x85ebca6b));
    let rest = this.#bytes * (0.5 + random()) - BYTES_OF_OTHERS;
    const chosen = this.#pool.choose(random, (field) => {
      rest -= field.bytes.length + ENTRY_LENGTH;
      return rest > 0;
    });
    return [...fields, ...chosen, this.#pool.noteOf(number, version)];
  }

  /** A day later for each version. */
  #changedField(version: number): PooledField {
    const known = this.#changedFields.get(version);
    if (known !== undefined) return known;
    const time = new Date(Date.UTC(2024, 0, 31, 12) + version * DAY_MS).toISOString().replaceAll(/\D/g, '');
    const field = pooledControlField('005', `${time.slice(0, 14)}.0`);
    this.#changedFields.set(version, field);
    return field;
  }
}

const XML_RECORD_END = Buffer.from('</record>\n');

const statusOf = ({ version = 0, deleted = false }: CatalogueEntry): string =>
  deleted ? 'd' : version === 0 ? 'n' : 'c';

const digits = (number: number, count: number): string => String(number).padStart(count, '0');

/** The first state of each number from `first` to before `end`. */
export function* entriesFrom(first: number, end: number, version = 0): Generator<CatalogueEntry, void, undefined> {
  for (let number = first; number < end; number++) yield { number, version };
}

export interface CatalogueFile {
  readonly catalogue: Catalogue;
  /** `ids`: a list of ids to delete. */
  readonly format: 'marc21' | 'marcxml' | 'ids';
  readonly entries: Iterable<CatalogueEntry>;
}

const CHUNK_BYTES = 262_144;

/** A file as chunks of about 256 kB. */
export function* catalogueFile({ catalogue, format, entries }: CatalogueFile): Generator<Buffer, void, undefined> {
  let parts: Buffer[] = format === 'marcxml' ? [XML_START] : [];
  let size = 0;
  for (const entry of entries) {
    const part = encoded(catalogue, format, entry);
    parts.push(part);
    size += part.length;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(parts);
    parts = [];
    size = 0;
  }
  if (format === 'marcxml') parts.push(XML_END);
  yield Buffer.concat(parts);
}

const XML_START = Buffer.from(
  '<?xml version="1.0" encoding="UTF-8"?>\n<collection xmlns="http://www.loc.gov/MARC21/slim">\n',
);
const XML_END = Buffer.from('</collection>\n');

function encoded(catalogue: Catalogue, format: CatalogueFile['format'], entry: CatalogueEntry): Buffer {
  switch (format) {
    case 'marc21':
      return catalogue.marc21(entry);
    case 'marcxml':
      return catalogue.marcxml(entry);
    case 'ids':
      return Buffer.from(`${catalogue.idOf(entry.number)}\n`);
  }
}

/** Writes a file as a stream, in memory that does not grow with it. */
export async function writeCatalogueFile(
  file: CatalogueFile & { readonly file: string; readonly gzip?: boolean },
): Promise<void> {
  const chunks = Readable.from(catalogueFile(file), { objectMode: false, highWaterMark: CHUNK_BYTES });
  const output = createWriteStream(file.file);
  await (file.gzip ? pipeline(chunks, createGzip({ level: 1 }), output) : pipeline(chunks, output));
}
