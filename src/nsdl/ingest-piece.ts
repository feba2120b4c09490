import { createReadStream } from 'node:fs';
import { isTidemarkError } from '../core/errors.ts';
import { keyOfRecordId } from '../core/record-key.ts';
import { failpoint } from '../lib/failpoint.ts';
import type { Collection } from '../records/collections/collection.ts';
import { fileKindOf } from '../records/forms/record-forms.ts';
import { piecesIn } from './check-pieces.ts';
import { ifThere, type NsdlFolders } from './folders.ts';
import { handleLine } from './handles.ts';
import { LONGEST_HEADER, type PieceHeader, parsePieceHeader, pieceName } from './piece.ts';
import type { Refusals } from './refusals.ts';
import { unknownHandle } from './take-triggers.ts';

export interface IngestParts {
  readonly folders: NsdlFolders;
  readonly collections: { byHandle(handle: string): Promise<Collection | undefined> };
  readonly refusals: Refusals;
  /** Called when all pieces of a harvest were read. It may be called more than once. */
  onAllRead(collection: Collection, header: PieceHeader): Promise<void>;
}

/** A fault of a piece is one of its harvest. */
const AS_HARVEST = { kind: 'oai' };

export interface IngestedPiece {
  readonly uuid: string;
  readonly piece: number;
  readonly pieces: number;
  readonly items: number;
  readonly errors: number;
}

/**
 * Ingests a piece: reads all of it, lists the handles of its records, and moves it to those that are done. The one that
 * is the last of its harvest hands them over together, since a harvest is one delivery. Undefined when it was ingested
 * before.
 * @param name of a file in the folder of ready pieces
 */
export async function ingestPiece(name: string, parts: IngestParts): Promise<IngestedPiece | undefined> {
  const { folders } = parts;
  const isDone = !(await folders.has('readyPieces', name));
  const path = folders.path(isDone ? 'donePieces' : 'readyPieces', name);
  const text = await ifThere(readHead(path));
  if (text === undefined) return undefined;
  const header = parsePieceHeader(text);
  const { uuid, piece, pieces } = header;
  const collection = await parts.collections.byHandle(header.collectionNA);
  if (collection === undefined) return refuse(header, unknownHandle(header.collectionNA).message, parts);
  const counts = { items: 0, errors: 0 };
  if (isDone) return handOver(collection, header, parts);
  try {
    const lines = handlesIn(path, collection, counts);
    await folders.write('handles', pieceName(header).replace(/\.dbinsert\.xml$/, '.hdls'), lines);
  } catch (error) {
    if (!isTidemarkError(error, 'invalid')) throw error;
    return refuse(header, `${name}: ${error.message}`, parts);
  }
  failpoint('nsdl.ingested');
  await folders.move({ path, name }, 'donePieces');
  await handOver(collection, header, parts);
  return { uuid, piece, pieces, ...counts };
}

/** Hands the pieces of a harvest over when all are done: also after the process that did the last was killed. */
async function handOver(collection: Collection, header: PieceHeader, parts: IngestParts): Promise<undefined> {
  const { folders } = parts;
  if ((await piecesIn(folders, 'readyPieces', header.uuid)).length > 0) return;
  const done = await piecesIn(folders, 'donePieces', header.uuid);
  if (done.length === header.pieces) await parts.onAllRead(collection, header);
}

/** Whole files, so that a process that is killed leaves none that lacks handles. */
async function* handlesIn(
  path: string,
  collection: Collection,
  counts: { items: number; errors: number },
): AsyncGenerator<string> {
  for await (const batch of fileKindOf('dbinsert')!.read(createReadStream(path), AS_HARVEST)) {
    let lines = '';
    for (const item of batch) {
      if (item.kind === 'erratum' && !item.warning) counts.errors += 1;
      else if (item.kind !== 'erratum') counts.items += 1;
      // What was seen and not read stays as it is, so its handle is one of those that were met.
      if (item.id) lines += handleLine(collection, keyOfRecordId(item.id));
    }
    yield lines;
  }
}

/** The harvest has failed: none of its pieces is ingested. */
async function refuse(header: PieceHeader, reason: string, { folders, refusals }: IngestParts): Promise<undefined> {
  const { uuid, collectionNA } = header;
  await refusals.add({ what: 'pieces', file: pieceName(header), uuid, reason, collectionNA });
  for (const place of ['readyPieces', 'donePieces'] as const) {
    for (const { name } of await piecesIn(folders, place, uuid)) {
      await folders.move({ path: folders.path(place, name), name }, 'failedPieces');
    }
  }
  return undefined;
}

async function readHead(path: string): Promise<string> {
  const chunks = createReadStream(path, { end: LONGEST_HEADER - 1 });
  let text = '';
  for await (const chunk of chunks.setEncoding('utf8')) text += chunk;
  return text;
}
