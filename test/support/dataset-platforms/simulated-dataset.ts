import { createHash, hash } from 'node:crypto';
import type { FileFault } from './file-faults.ts';

export interface StandInFile {
  /** With `/` between folders; a platform without folders has it as a name. */
  readonly name: string;
  /** Bytes; 1,000 by default. */
  readonly size?: number;
  readonly mimetype?: string;
  /** What the platform states in place of the truth. */
  readonly stated?: { readonly size?: unknown; readonly md5?: unknown };
  /** Of Dataverse: a table that was ingested. The name is that of the original, served for `format=original`. */
  readonly isTable?: boolean;
  readonly isRestricted?: boolean;
  readonly fault?: FileFault;
  /** The storage sends all of it whatever range is requested. */
  readonly ignoresRanges?: boolean;
}

export interface StandInDataset {
  /** `zenodo`: as zenodo.org answers (one list `files`); `inveniordm`: as other InvenioRDM do (`files.entries`). */
  readonly platform: 'dataverse' | 'zenodo' | 'inveniordm' | 'figshare' | 'archiveorg';
  /** A persistent identifier, a number, or the name of an item: of the platform's form; made when it is missing. */
  readonly id?: string;
  /** Of Dataverse (`1.1`) and figshare (`2`): the latest one. */
  readonly version?: string;
  /** Older versions, of Dataverse and figshare. */
  readonly older?: readonly { readonly version: string; readonly files: readonly StandInFile[] }[];
  /** Of Zenodo: the id of the concept, which leads to the dataset that was added last with it. */
  readonly concept?: string;
  readonly title?: string;
  readonly files: readonly StandInFile[];
  /** Changes each reply of the API about it. A text or bytes are sent as they are, all else as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: replies are changed in any way
  readonly change?: (reply: any, url: string) => unknown;
  /** The bundle, in place of a ZIP of all files; undefined makes that. */
  readonly bundle?: Buffer;
}

/** A file as it is served. */
export interface ServedFile extends StandInFile {
  readonly number: number;
  readonly size: number;
  readonly mimetype: string;
  readonly md5: string;
  /** How often it was served with its fault. */
  served: number;
}

export interface ServedDataset extends Omit<StandInDataset, 'files' | 'older'> {
  readonly number: number;
  readonly id: string;
  readonly version: string;
  readonly concept: string;
  readonly title: string;
  /** The latest one first. */
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly version: string;
  readonly files: readonly ServedFile[];
}

const BLOCK_BYTES = 65_536;

/** The bytes of a file, of which each name has others. */
export function contentOf(name: string, size = 1000): Buffer {
  return Buffer.concat([...chunksOf({ name, size }, 0)]);
}

export function* chunksOf({ name, size }: { readonly name: string; readonly size: number }, from: number) {
  const block = blockOf(name, Math.min(size, BLOCK_BYTES));
  for (let at = from; at < size; ) {
    const start = at % BLOCK_BYTES;
    const chunk = block.subarray(start, Math.min(BLOCK_BYTES, start + size - at));
    yield chunk;
    at += chunk.length;
  }
}

function blockOf(name: string, length: number): Buffer {
  const digests = Array.from({ length: Math.ceil(length / 64) }, (_, at) => hash('sha512', `${name} ${at}`, 'buffer'));
  return Buffer.concat(digests, length);
}

export function md5Of(name: string, size: number): string {
  const digest = createHash('md5');
  for (const chunk of chunksOf({ name, size }, 0)) digest.update(chunk);
  return digest.digest('hex');
}

/** What a platform states of a file. */
export function statedOf({ stated = {}, size, md5 }: ServedFile): { readonly size: unknown; readonly md5: unknown } {
  return { size, md5, ...stated };
}
