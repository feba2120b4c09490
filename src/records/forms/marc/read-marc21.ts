import { buildRecord, deletionOf } from './build-record.ts';
import { checkRecord, type Findings } from './check-record.ts';
import { type Piece, RecordCutter, tooLong } from './cut-records.ts';
import { describeFault, withPlace } from './faults/describe-fault.ts';
import { titleIn } from './faults/field-places.ts';
import { UnusableRecord } from './faults/unusable-record.ts';
import { findId } from './find-id.ts';
import { CODING_AT, LONGEST_RECORD, STATUS_AT, TYPE_AT } from './iso2709.ts';
import { RecordJoiner } from './join-records.ts';
import { marcIdFault } from './marc-id.ts';
import { fieldsOf, MarcRecord } from './marc-record.ts';
import { fieldsOfMarc8 } from './marc8/fields-of-marc8.ts';
import { mendFields } from './mend-fields.ts';
import { withPlainLeader } from './plain-leader.ts';
import type { GoodMarcPart, MarcPart, ReadRecord } from './read-record.ts';

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
  readonly #joiner = new RecordJoiner(LONGEST_RECORD);

  read(pieces: readonly Piece[]): ReadRecord[] {
    const read: ReadRecord[] = [];
    for (const piece of pieces) this.#joiner.add(this.#readPiece(piece), read);
    return read;
  }

  end(): ReadRecord[] {
    const read: ReadRecord[] = [];
    this.#joiner.end(read);
    return read;
  }

  #readPiece(piece: Piece): MarcPart {
    try {
      if (piece.problem !== undefined) throw new UnusableRecord(piece.problem.reason, { kind: piece.problem.kind });
      return this.#readSound(piece);
    } catch (error) {
      return this.#readAgain(piece, whyUnusable(error));
    }
  }

  /** @throws UnusableRecord */
  #readSound({ offset, bytes }: Piece): GoodMarcPart {
    const found = this.#found;
    checkRecord(bytes, found);
    if (found.problem !== undefined) throw describeFault(bytes, found.problem);
    const record = repair(bytes, found.repair);
    const isDecoded = found.repair === 'marc8';
    const id = isDecoded ? idOf(record) : bytes.toString('utf8', found.idStart, found.idEnd).trim();
    const fault = marcIdFault(id, () => record.fieldsWithTag('001').length > 0);
    if (fault !== undefined) throw fault;
    return { offset, id, deleted: bytes[STATUS_AT] === DELETED, record, type: bytes[TYPE_AT], length: bytes.length };
  }

  /** Reads a record with a fault: its leader is corrected where that loses nothing; a deletion needs only an id. */
  #readAgain(piece: Piece, first: UnusableRecord): MarcPart {
    const { offset, bytes, length = bytes.length } = piece;
    const plain = piece.problem === undefined ? withPlainLeader(bytes) : undefined;
    let why = first;
    try {
      if (plain !== undefined) return this.#readSound({ offset, bytes: plain });
    } catch (error) {
      why = whyUnusable(error);
    }
    const mended = plain && bytes[STATUS_AT] !== DELETED ? this.#readMended({ offset, bytes: plain }) : undefined;
    if (mended instanceof UnusableRecord) why = mended;
    else if (mended !== undefined) return { ...mended, length };
    if (piece.problem === undefined && length > LONGEST_RECORD) {
      const { kind, reason } = tooLong(length);
      why = new UnusableRecord(reason, { kind });
    }
    const id = findId(bytes);
    const part = { offset, type: bytes[TYPE_AT], length };
    if (id === undefined || bytes[STATUS_AT] !== DELETED) {
      return { ...part, id, title: titleIn(bytes), reason: why.message, fault: why.fault };
    }
    return { ...part, id, deleted: true, record: deletionOf(id) };
  }

  /** Reads a record whose fields can be repaired; returns its other fault, if it has one; undefined without repairs. */
  #readMended({ offset, bytes }: Piece): GoodMarcPart | UnusableRecord | undefined {
    const mended = mendFields(bytes);
    if (mended === undefined) return undefined;
    try {
      const { warning, fault } = mended;
      return { ...this.#readSound({ offset, bytes: mended.bytes }), warning, fault };
    } catch (error) {
      return whyUnusable(error);
    }
  }
}

/** @throws another error */
function whyUnusable(error: unknown): UnusableRecord {
  if (error instanceof UnusableRecord) return error;
  throw error;
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
      return decoded(bytes);
  }
}

/** @throws UnusableRecord */
function decoded(bytes: Buffer): MarcRecord {
  try {
    return buildRecord(bytes.toString('latin1', 0, 24), fieldsOfMarc8(bytes));
  } catch (error) {
    throw withPlace(bytes, error);
  }
}
