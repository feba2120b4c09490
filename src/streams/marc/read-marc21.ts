import { buildRecord, UnusableRecord } from './build-record.ts';
import { checkRecord, type Findings } from './check-record.ts';
import { type Piece, RecordCutter } from './cut-records.ts';
import { fieldsOfMarc8 } from './fields-of-marc8.ts';
import { CODING_AT, STATUS_AT } from './iso2709.ts';
import { RecordJoiner } from './join-records.ts';
import { fieldsOf, MarcRecord } from './marc-record.ts';
import type { ReadRecord } from './read-record.ts';
import { recordIdProblem } from './record-id.ts';

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
    let id = bytes.toString('utf8', found.idStart, found.idEnd).trim();
    try {
      if (found.problem !== undefined) throw new UnusableRecord(found.problem);
      const record = repair(bytes, found.repair);
      if (found.repair === 'marc8') id = idOf(record);
      const idProblem = recordIdProblem(id);
      if (idProblem !== undefined) throw new UnusableRecord(idProblem);
      const deleted = bytes[STATUS_AT] === DELETED;
      this.#joiner.add({ offset, id, deleted, record, length: bytes.length }, read);
    } catch (error) {
      if (!(error instanceof UnusableRecord)) throw error;
      this.#joiner.addErratum({ offset, ...(id !== '' && { id }), reason: error.message }, read);
    }
  }
}

/** The id of a record that was decoded from MARC-8; empty without one. */
function idOf(record: MarcRecord): string {
  const field = record.fieldBytes().find(({ tag }) => tag === '001');
  return field?.bytes.toString('utf8').trim() ?? '';
}

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
