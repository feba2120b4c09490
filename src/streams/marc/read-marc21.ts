import { buildRecord, UnusableRecord } from './build-record.ts';
import { checkRecord, type Findings } from './check-record.ts';
import { type Piece, RecordCutter } from './cut-records.ts';
import { fieldsOfMarc8 } from './fields-of-marc8.ts';
import { CODING_AT, STATUS_AT } from './iso2709.ts';
import { RecordJoiner } from './join-records.ts';
import { fieldsOf, MarcRecord } from './marc-record.ts';
import type { ReadRecord } from './read-record.ts';

const DELETED = 0x64;

/**
 * Reads a file of MARC21 (ISO 2709) in UTF-8 or MARC-8.
 * @see ReadMarc for its promises
 */
export async function* readMarc21(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly ReadRecord[], void, undefined> {
  const cutter = new RecordCutter();
  const reader = new PieceReader();
  for await (const chunk of chunks) {
    const read = reader.read(cutter.push(chunk));
    if (read.length > 0) yield read;
  }
  const last = [...reader.read(cutter.end()), ...reader.end()];
  if (last.length > 0) yield last;
}

/** Checks pieces of a file, and turns them into records. */
class PieceReader {
  readonly #found: Findings = { problem: undefined, repair: 'none', idStart: 0, idEnd: 0 };
  readonly #joiner = new RecordJoiner();

  read(pieces: readonly Piece[]): ReadRecord[] {
    const read: ReadRecord[] = [];
    for (const piece of pieces) this.#readPiece(piece, read);
    return read;
  }

  end(): ReadRecord[] {
    const read: ReadRecord[] = [];
    this.#joiner.end(read);
    return read;
  }

  #readPiece({ offset, bytes, problem }: Piece, read: ReadRecord[]): void {
    const found = this.#found;
    if (problem === undefined) checkRecord(bytes, found);
    else Object.assign(found, { problem, idStart: 0, idEnd: 0 });
    const id = bytes.toString('utf8', found.idStart, found.idEnd).trim();
    const known = id === '' ? {} : { id };
    const reason = found.problem ?? (id === '' ? NO_ID : undefined);
    if (reason !== undefined) {
      this.#joiner.addErratum({ offset, ...known, reason }, read);
      return;
    }
    try {
      const record = repair(bytes, found.repair);
      const deleted = bytes[STATUS_AT] === DELETED;
      const decoded = found.repair === 'marc8' ? idOf(record) : id;
      this.#joiner.add({ offset, id: decoded, deleted, record, length: bytes.length }, read);
    } catch (error) {
      if (!(error instanceof UnusableRecord)) throw error;
      this.#joiner.addErratum({ offset, ...known, reason: error.message }, read);
    }
  }
}

/** The id of a record that was decoded from MARC-8. */
function idOf(record: MarcRecord): string {
  const field = record.fieldBytes().find(({ tag }) => tag === '001');
  return field!.bytes.toString('utf8').trim();
}

const NO_ID = 'the record has no field 001, or an empty one: expected its id there';

function repair(bytes: Buffer, what: Findings['repair']): MarcRecord {
  switch (what) {
    case 'none':
      return new MarcRecord(bytes);
    case 'coding': {
      const copy = Buffer.from(bytes);
      copy.write('a', CODING_AT);
      return new MarcRecord(copy);
    }
    case 'layout':
      return buildRecord(bytes.toString('latin1', 0, 24), fieldsOf(bytes));
    case 'marc8':
      return buildRecord(bytes.toString('latin1', 0, 24), fieldsOfMarc8(bytes));
  }
}
