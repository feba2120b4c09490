import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { excerpt } from '../../lib/excerpt.ts';
import { DamagedFile, type FoundFile } from '../packages/found-file.ts';
import type { Normalization } from './normalization.ts';
import { type ReadItem, type ReadRecord, type SharedByFiles, withWarning } from './record-form.ts';
import { fileKindOf, formOf } from './record-forms.ts';
import { RepeatedIds } from './repeated-ids.ts';
import { WrongEncoding } from './wrong-encoding.ts';

/**
 * The records, deletions and errata of a file, in its order, as batches that are never empty; none for an unknown file.
 * A record whose id came before in the file has a warning: so many systems split records that this may be a loss.
 * Where a package is damaged, everything before the damage is read, and the damage is the last erratum.
 * @param shared closed by the caller, after the last file of the delivery
 * @throws what the given file throws; TidemarkError `invalid`, which names the file, when the whole delivery fails
 */
export async function* readFile(
  file: FoundFile,
  normalization?: Normalization,
  shared?: SharedByFiles,
): AsyncGenerator<readonly ReadItem[], void, undefined> {
  requireKind(file, normalization);
  try {
    yield* readKnown(file, normalization, shared);
  } catch (error) {
    if (!isTidemarkError(error, 'invalid')) throw error;
    throw new TidemarkError('invalid', `${pathOf(file)}: ${error.message}`, error.details, error);
  }
}

const pathOf = ({ path }: FoundFile): string => path.join(' > ');

/** A harvest reads files of its form only: its normalization has the name of one of their kinds. */
function requireKind(file: FoundFile, normalization: Normalization | undefined): void {
  const wanted = normalization && formOf(normalization.kind);
  if (wanted === undefined || wanted === formOf(file.kind)) return;
  const found = file.reason ?? `it is ${fileKindOf(file.kind)?.title ?? 'unknown'}`;
  throw new TidemarkError('invalid', `${pathOf(file)} is no page of ${wanted.title}: ${found}`);
}

async function* readKnown(
  { kind, bytes }: FoundFile,
  normalization: Normalization | undefined,
  shared: SharedByFiles | undefined,
): AsyncGenerator<readonly ReadItem[], void, undefined> {
  const known = fileKindOf(kind);
  if (known === undefined) return;
  const { chunks, ending } = untilDamaged(known.decode?.(bytes) ?? bytes);
  const ids = new RepeatedIds();
  let ordinal = 0;
  for await (const batch of known.read(chunks, normalization, shared)) {
    ordinal = batch.at(-1)!.ordinal;
    yield batch.map((item) =>
      item.kind === 'record' && ids.add(item.id) ? withWarning(item, repeated(item), { kind: 'repeated-id' }) : item,
    );
  }
  const { damage, offset } = ending;
  if (damage === undefined) return;
  const fault = { kind: damage instanceof WrongEncoding ? 'xml-encoding' : 'damaged-package' } as const;
  yield [{ kind: 'erratum', ordinal: ordinal + 1, offset, reason: damage.message, fault }];
}

const repeated = ({ id }: ReadRecord): string =>
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
