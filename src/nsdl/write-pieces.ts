import type { ArtifactStore, ObjectKey } from '../artifacts/artifact-store.ts';
import { readContainer } from '../artifacts/avro/container-reader.ts';
import { openArtifact } from '../artifacts/open-artifact.ts';
import { failpoint } from '../lib/failpoint.ts';
import type { ReadUpload } from '../records/arrivals/upload-state.ts';
import { readOaiRecord } from '../records/forms/oai/oai-record.ts';
import { NSDL_DC } from '../records/metadata-format.ts';
import type { NsdlFolders } from './folders.ts';
import { type PieceHeader, type PieceItem, pieceName, pieceText } from './piece.ts';

interface PieceParts {
  readonly folders: NsdlFolders;
  readonly artifacts: Pick<ArtifactStore, 'get'>;
  /** Records in a piece. */
  readonly items: number;
}

interface HarvestToWrite extends Pick<PieceHeader, 'collectionNA' | 'uuid' | 'runType'> {
  /** The prefix of the format that was harvested. */
  readonly format: string;
  readonly read: Pick<ReadUpload, 'at' | 'records' | 'recordsSha256'>;
}

/**
 * Writes the records of a harvest as dbInsert files, in the order in which they were read. It reads them twice, since
 * each file contains the number of all. A second attempt writes the same bytes; when the files of the first one were
 * moved on, it writes none. Returns the number of files.
 */
export async function writePieces(harvest: HarvestToWrite, parts: PieceParts): Promise<number> {
  const { collectionNA, uuid, runType } = harvest;
  const { folders, items: atATime } = parts;
  let count = 0;
  for await (const items of itemsOf(harvest, parts)) count += items.length;
  const pieces = Math.ceil(count / atATime);
  if (await hasMovedOn(folders, uuid)) return pieces;
  let piece = 0;
  let waiting: PieceItem[] = [];
  const write = async (items: readonly PieceItem[]): Promise<void> => {
    piece += 1;
    const header = { collectionNA, uuid, runType, pieces, piece };
    await folders.write('newPieces', pieceName(header), pieceText(header, items));
    failpoint('nsdl.written');
  };
  for await (const items of itemsOf(harvest, parts)) {
    waiting.push(...items);
    for (; waiting.length >= atATime; waiting = waiting.slice(atATime)) await write(waiting.slice(0, atATime));
  }
  if (waiting.length > 0) await write(waiting);
  return pieces;
}

/** The first piece is moved first, when all are there. */
async function hasMovedOn(folders: NsdlFolders, uuid: string): Promise<boolean> {
  const first = pieceName({ uuid, piece: 1 });
  return (await folders.has('readyPieces', first)) || folders.has('donePieces', first);
}

/** Without records that have no nsdl_dc: all metadata of NSDL must have it. */
async function* itemsOf(harvest: HarvestToWrite, { artifacts }: PieceParts): AsyncGenerator<readonly PieceItem[]> {
  const { format, read } = harvest;
  if (read.records === undefined) return;
  const deletedAt = new Date(read.at).toISOString().replace(/\.\d+Z$/, 'Z');
  for await (const block of recordsOf(artifacts, read.records, read.recordsSha256)) {
    yield block.flatMap(({ id, document }) => itemOf({ id, document, format, deletedAt }) ?? []);
  }
}

async function* recordsOf(artifacts: PieceParts['artifacts'], key: ObjectKey, sha256: string | undefined) {
  const { body } = await openArtifact(artifacts, key, { sha256 });
  for await (const { records } of readContainer(body, { schema: 'stream.Record.v1', name: key })) yield records;
}

interface StoredItem {
  readonly id: string;
  /** Empty for a deletion. */
  readonly document: string;
  readonly format: string;
  readonly deletedAt: string;
}

function itemOf({ id, document, format, deletedAt }: StoredItem): PieceItem | undefined {
  if (document === '') return { identifier: id, datestamp: deletedAt };
  const { header, metadata: native, derived } = readOaiRecord(Buffer.from(document));
  const nsdlDc = derived?.format === NSDL_DC.prefix ? derived.xml : format === NSDL_DC.prefix ? native : undefined;
  if (native === undefined || nsdlDc === undefined) return undefined;
  return { identifier: id, datestamp: header.datestamp, content: { format, native, nsdlDc } };
}
