import { type BigIntStats, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { type DocumentBodies, isSound, requireBody } from './document-bodies.ts';
import type { DocumentRecord } from './document-files.ts';

/** A record that this process has read. */
export interface CachedRecord {
  readonly record: DocumentRecord;
  /** Identity of the record file that was read: another process may have rendered the document again. */
  readonly file: string;
  readonly bytes: number;
  /** Whether the body matches the digest; undefined until this process needs it. */
  sound?: Promise<boolean>;
}

/** The records on disk that this process has read, by path, in the order of their last use. */
export class CachedRecords {
  readonly #bodies: Pick<DocumentBodies, 'removeLater'>;
  readonly #entries = new Map<string, CachedRecord>();
  #bytes = 0;

  /** @param bodies removes the bodies of dropped records */
  constructor(bodies: Pick<DocumentBodies, 'removeLater'>) {
    this.#bodies = bodies;
  }

  get count(): number {
    return this.#entries.size;
  }

  /** Bytes of the documents on disk. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The record as it was read, even if its file has changed. */
  get(path: string): CachedRecord | undefined {
    return this.#entries.get(path);
  }

  /** Marks a record as used and returns it; undefined when its file has been replaced. */
  use(path: string): CachedRecord | undefined {
    const entry = this.#entries.get(path);
    if (entry === undefined) return undefined;
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (found !== undefined && identityOf(found) === entry.file) {
      this.#entries.delete(path);
      this.#entries.set(path, entry);
      return entry;
    }
    this.#forget(path);
    return undefined;
  }

  /** Reads a record. Undefined unless its body exists, too. */
  async read(path: string): Promise<CachedRecord | undefined> {
    try {
      await using file = await open(path);
      const found = await file.stat({ bigint: true });
      const record: DocumentRecord = JSON.parse(await file.readFile('utf8'));
      await requireBody(path, record);
      return this.#remember(path, record, identityOf(found));
    } catch {
      // Missing, incomplete, or removed meanwhile by another process: the document is rendered again.
      return undefined;
    }
  }

  /** Undefined when the body of the document is damaged: it is then removed, and rendered again. */
  async requireSound(path: string, entry: CachedRecord | undefined): Promise<CachedRecord | undefined> {
    if (entry === undefined) return undefined;
    entry.sound ??= isSound(path, entry.record);
    if (await entry.sound) return entry;
    if (this.#entries.get(path) === entry) await this.remove(path);
    return undefined;
  }

  async remove(path: string): Promise<void> {
    this.#forget(path);
    await rm(path, { force: true });
  }

  /** Removes the least recently used documents until the others take at most `mostBytes` bytes, or only one is left. */
  async evict(mostBytes: number): Promise<void> {
    for (const [path, { bytes }] of this.#entries) {
      if (this.#bytes <= mostBytes || bytes === this.#bytes) return;
      await this.remove(path);
    }
  }

  #remember(path: string, record: DocumentRecord, file: string): CachedRecord {
    this.#forget(path, record);
    const entry: CachedRecord = { record, file, bytes: record.lengths.gzip };
    this.#entries.set(path, entry);
    this.#bytes += entry.bytes;
    return entry;
  }

  /** Drops a stale entry, and its body unless the current record uses it. */
  #forget(path: string, current?: DocumentRecord): void {
    const entry = this.#entries.get(path);
    if (entry === undefined) return;
    this.#bytes -= entry.bytes;
    this.#entries.delete(path);
    if (entry.record.body === current?.body) return;
    this.#bodies.removeLater(path, entry.record);
  }
}

/** Inode numbers are reused, so mtime is part of the identity. */
function identityOf({ ino, mtimeNs }: BigIntStats): string {
  return `${ino}-${mtimeNs}`;
}
