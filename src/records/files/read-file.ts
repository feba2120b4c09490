import { excerpt } from '../../lib/excerpt.ts';
import { readMarc21 } from '../forms/marc/read-marc21.ts';
import { readMarcXml } from '../forms/marc/read-marcxml.ts';
import { type GoodRecord, type ReadRecord, withWarning } from '../forms/marc/read-record.ts';
import { type DeletedId, readDeletedIds } from './deleted-ids.ts';
import { DamagedFile, type FoundFile } from './found-file.ts';
import { RepeatedIds } from './repeated-ids.ts';
import { xmlInUtf8 } from './xml-in-utf8.ts';

export type ReadItem = ReadRecord | DeletedId;

const READERS = {
  marc21: readMarc21,
  marcxml: readMarcXml,
  'deleted-ids': readDeletedIds,
} as const;

/**
 * The records, deletions and errata of a file, in its order, as batches that are never empty; none for an unknown file.
 * A record whose id came before in the file has a warning: so many systems split records that this may be a loss.
 * Where a package is damaged, everything before the damage is read, and the damage is the last erratum.
 * @throws what the given file throws
 */
export async function* readFile({ kind, bytes }: FoundFile): AsyncGenerator<readonly ReadItem[], void, undefined> {
  if (kind === 'unknown') return;
  const { chunks, ending } = untilDamaged(kind === 'marcxml' ? xmlInUtf8(bytes) : bytes);
  const ids = new RepeatedIds();
  let ordinal = 0;
  for await (const batch of READERS[kind](chunks)) {
    ordinal = batch.at(-1)!.ordinal;
    yield batch.map((item) => (item.kind === 'record' && ids.add(item.id) ? withWarning(item, repeated(item)) : item));
  }
  const { damage, offset } = ending;
  if (damage !== undefined) yield [{ kind: 'erratum', ordinal: ordinal + 1, offset, reason: damage.message }];
}

const repeated = ({ id }: GoodRecord): string =>
  `the file has the id ${excerpt(id)} more than once: of records with one id, the last counts`;

interface Ending {
  damage: DamagedFile | undefined;
  /** Number of bytes before the end. */
  offset: number;
}

/** Ends the bytes at the damage, so that a reader also reports a record that breaks off there. */
function untilDamaged(bytes: AsyncIterable<Buffer>): { chunks: AsyncIterable<Buffer>; readonly ending: Ending } {
  const ending: Ending = { damage: undefined, offset: 0 };
  async function* chunks(): AsyncGenerator<Buffer, void, undefined> {
    try {
      for await (const chunk of bytes) {
        ending.offset += chunk.length;
        yield chunk;
      }
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      ending.damage = error;
    }
  }
  return { chunks: chunks(), ending };
}
