import { open } from 'node:fs/promises';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import type { Collection } from '../records/collections/collection.ts';
import { type FoundFile, ifThere, type NsdlFolders } from './folders.ts';
import {
  isFullHarvest,
  isWholePiece,
  LONGEST_HEADER,
  type PieceHeader,
  parsePieceHeader,
  parsePieceName,
  pieceName,
} from './piece.ts';
import type { Refusals } from './refusals.ts';
import { unknownHandle } from './take-triggers.ts';
import { uuidIn, uuidOfText } from './uuid.ts';

interface CheckParts {
  readonly folders: NsdlFolders;
  readonly collections: { byHandle(handle: string): Promise<Collection | undefined> };
  readonly refusals: Refusals;
  /** Milliseconds from the newest piece until a harvest whose pieces are not complete has failed. */
  readonly timeoutMs: number;
  /** Called before the pieces of a full harvest are ingested. */
  beforeFull(collection: Collection, uuid: string): Promise<void>;
}

/** What became of the pieces of a harvest, as far as they are in the folder of new ones. */
export interface CheckedPieces {
  readonly uuid: string;
  /** Number of files that are there, of those that the header says. */
  readonly there: number;
  readonly pieces: number;
  readonly outcome: { readonly ready: true } | { readonly waits: string } | { readonly refused: string };
}

interface NewPiece {
  readonly file: FoundFile;
  readonly header: PieceHeader;
}

interface UnfitFile {
  readonly file: FoundFile;
  readonly uuid: string;
  readonly reason: string;
}

const ENDING = /\.dbinsert(?:\.xml)?$/i;
/** Bytes at the end of a file that have its last tag. */
const TAIL = 1_024;

/**
 * Moves the pieces of harvests that are complete to the folder of those that are ingested. Whatever their format is,
 * only headers and ends are read. The pieces of other harvests wait, and fail after a time.
 */
export async function checkPieces(parts: CheckParts): Promise<readonly CheckedPieces[]> {
  const files = (await parts.folders.list('newPieces')).filter(({ name }) => ENDING.test(name));
  const read: (NewPiece | UnfitFile | undefined)[] = [];
  for (const file of files) read.push(await readPiece(file));
  const checked: CheckedPieces[] = [];
  for (const unfit of read.filter((one) => one !== undefined && 'reason' in one)) {
    checked.push(await waitOrRefuse({ ...unfit, files: [unfit.file], there: 0, pieces: 0 }, parts));
  }
  const pieces = read.filter((one) => one !== undefined && 'header' in one);
  for (const harvest of Map.groupBy(pieces, ({ header }) => header.uuid).values()) {
    checked.push(await checkHarvest(harvest, parts));
  }
  return checked;
}

async function checkHarvest(harvest: readonly NewPiece[], parts: CheckParts): Promise<CheckedPieces> {
  const [{ header }] = harvest as readonly [NewPiece];
  const { uuid, pieces, collectionNA } = header;
  const files = harvest.map(({ file }) => file);
  const there = await numbersOf(harvest, parts.folders);
  const about = { uuid, files, there: there.size, pieces };
  const reason =
    problemOf(harvest) ?? (there.size < pieces ? `${there.size} of ${pieces} pieces are there` : undefined);
  if (reason !== undefined) return waitOrRefuse({ ...about, reason, collectionNA }, parts);
  const collection = await parts.collections.byHandle(collectionNA);
  if (collection === undefined) return refuse({ ...about, reason: unknownHandle(collectionNA).message }, parts);
  if (isFullHarvest(header)) await parts.beforeFull(collection, uuid);
  for (const { file, header } of harvest) {
    await parts.folders.move(file, 'readyPieces', pieceName(header));
  }
  return { uuid, there: there.size, pieces, outcome: { ready: true } };
}

/** What the pieces of one harvest contradict each other in. */
function problemOf(harvest: readonly NewPiece[]): string | undefined {
  const [{ header: first }] = harvest as readonly [NewPiece];
  const byNumber = new Map<number, string>();
  for (const { file, header } of harvest) {
    const other = (['collectionNA', 'runType', 'pieces'] as const).find((name) => header[name] !== first[name]);
    if (other !== undefined) return `${file.name} has another ${other} than the other pieces: ${header[other]}`;
    const twin = byNumber.get(header.piece);
    if (twin !== undefined) return `${twin} and ${file.name} are both piece ${header.piece}`;
    byNumber.set(header.piece, file.name);
  }
  return undefined;
}

/** The numbers of the pieces of a harvest: a process may have been killed before it had moved all of them. */
async function numbersOf(harvest: readonly NewPiece[], folders: NsdlFolders): Promise<ReadonlySet<number>> {
  const numbers = new Set(harvest.map(({ header }) => header.piece));
  const uuid = harvest[0]!.header.uuid;
  for (const place of ['readyPieces', 'donePieces'] as const) {
    for (const { piece } of await piecesIn(folders, place, uuid)) numbers.add(piece);
  }
  return numbers;
}

/** The names and numbers of the pieces of a harvest that were found to be complete. */
export async function piecesIn(
  folders: NsdlFolders,
  place: 'readyPieces' | 'donePieces',
  uuid: string,
): Promise<readonly { readonly name: string; readonly piece: number }[]> {
  return (await folders.names(place)).flatMap((name) => {
    const parsed = parsePieceName(name);
    return parsed?.uuid === uuid ? [{ name, piece: parsed.piece }] : [];
  });
}

interface Incomplete extends Pick<CheckedPieces, 'uuid' | 'there' | 'pieces'> {
  readonly files: readonly FoundFile[];
  readonly reason: string;
  readonly collectionNA?: string;
}

async function waitOrRefuse(incomplete: Incomplete, parts: CheckParts): Promise<CheckedPieces> {
  const { uuid, there, pieces, files, reason } = incomplete;
  const newest = Math.max(...files.map(({ modified }) => modified));
  if (Date.now() - newest < parts.timeoutMs) return { uuid, there, pieces, outcome: { waits: reason } };
  return refuse(incomplete, parts);
}

async function refuse(
  { uuid, there, pieces, files, reason, collectionNA }: Incomplete,
  { folders, refusals }: CheckParts,
): Promise<CheckedPieces> {
  await refusals.add({ what: 'pieces', file: files[0]!.name, uuid, reason, collectionNA });
  for (const file of files) await folders.move(file, 'failedPieces');
  return { uuid, there, pieces, outcome: { refused: reason } };
}

/** Undefined when the file is not there any more. */
async function readPiece(file: FoundFile): Promise<NewPiece | UnfitFile | undefined> {
  const ends = await ifThere(readEnds(file));
  if (ends === undefined) return undefined;
  const { head, tail } = ends;
  try {
    const header = parsePieceHeader(head);
    if (!isWholePiece(tail)) throw new TidemarkError('invalid', 'its end </dbInsert> is missing');
    return { file, header };
  } catch (error) {
    if (!isTidemarkError(error, 'invalid')) throw error;
    const uuid = uuidIn(head) ?? uuidOfText(`${file.name}\n${head}`);
    return { file, uuid, reason: `${file.name}: ${error.message}` };
  }
}

async function readEnds({ path, length }: FoundFile): Promise<{ readonly head: string; readonly tail: string }> {
  const file = await open(path);
  try {
    const head = await file.read(Buffer.alloc(Math.min(length, LONGEST_HEADER)), { position: 0 });
    const tail = await file.read(Buffer.alloc(Math.min(length, TAIL)), { position: Math.max(0, length - TAIL) });
    return { head: head.buffer.toString(), tail: tail.buffer.toString() };
  } finally {
    await file.close();
  }
}
