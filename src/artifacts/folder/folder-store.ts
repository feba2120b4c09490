import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { type FileHandle, open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { errorCode, isGone } from '../../lib/system-error.ts';
import { CalledThread, startWorker } from '../../lib/workers/rpc.ts';
import type {
  ArtifactBody,
  ArtifactStore,
  Drafts,
  GetOptions,
  ListedObject,
  ObjectKey,
  ObjectRange,
  OpenObject,
  PutOptions,
  SmallObject,
  StoredObject,
} from '../artifact-store.ts';
import { folderError } from '../folder-errors.ts';
import { requirePlainKey } from '../plain-key.ts';
import { beyondEnd, cutOff, noSuchObject, requireRange } from '../store-errors.ts';
import { FolderDrafts } from './folder-drafts.ts';
import { writeFile } from './folder-writer.ts';
import { listFolder, namesIn } from './list-folder.ts';
import { removeOlder } from './remove-older.ts';
import { TemporaryFiles } from './temporary-files.ts';
import type { WriteFunctions } from './write.worker.ts';

const CHUNK = 256 * 1024;
/** Milliseconds: a thread takes 50 ms to start, so it is kept for a while. */
const WRITER_IDLE_MS = 5_000;

/** Stores artifacts as files below a folder, which is created with the first file. */
export class FolderStore implements ArtifactStore {
  readonly name: string;
  readonly #root: string;
  readonly #temporary: TemporaryFiles;
  /** The thread that writes small files. */
  readonly #writer: CalledThread<WriteFunctions>;

  /** @param root absolute path */
  constructor(root: string) {
    this.name = root;
    this.#root = root;
    this.#temporary = new TemporaryFiles(root);
    this.#writer = new CalledThread({
      work: 'writing artifacts',
      start: () => startWorker('./write.worker', import.meta.url, { workerData: root }),
      idleMs: WRITER_IDLE_MS,
    });
  }

  pathOf(key: ObjectKey): string {
    return `file://${this.#file(key)}`;
  }

  async put(key: ObjectKey, body: ArtifactBody, options: PutOptions = {}): Promise<StoredObject> {
    requirePlainKey(key);
    return writeFile({ ...options, root: this.#root, key, body, temporary: this.#temporary });
  }

  async putAll(objects: readonly SmallObject[]): Promise<void> {
    for (const { key } of objects) requirePlainKey(key);
    const folder = await this.#temporaryFolder();
    await this.#writer.call('writeAll', [folder, objects]);
  }

  async beginDrafts(): Promise<Drafts> {
    return new FolderDrafts({ store: this.#root, folder: await this.#temporaryFolder() }, this.#writer);
  }

  async get(key: ObjectKey, { range, signal }: GetOptions = {}): Promise<OpenObject> {
    requirePlainKey(key);
    requireRange(range);
    signal?.throwIfAborted();
    const file = await this.#open(key);
    try {
      const length = await lengthOf(file);
      if (length === undefined) throw noSuchObject(this.name, key);
      const start = range?.start ?? 0;
      const end = Math.min(length, start + (range?.length ?? length));
      if (start >= length && range !== undefined) throw beyondEnd(this.name, key, start);
      return { length, body: this.#read(file, { key, start, end, signal }) };
    } catch (error) {
      await file.close();
      throw folderError(this.#root, 'read', error);
    }
  }

  async readSmall(key: ObjectKey, range?: ObjectRange): Promise<Buffer> {
    requirePlainKey(key);
    requireRange(range);
    try {
      return range === undefined ? readFileSync(this.#file(key)) : this.#readPart(key, range);
    } catch (error) {
      // A folder is not an object.
      if (isGone(error) || errorCode(error) === 'EISDIR') throw noSuchObject(this.name, key);
      throw folderError(this.#root, 'read', error);
    }
  }

  async delete(key: ObjectKey): Promise<void> {
    requirePlainKey(key);
    try {
      await unlink(this.#file(key));
    } catch (error) {
      // A folder is not an object.
      if (!isGone(error) && errorCode(error) !== 'EISDIR') throw folderError(this.#root, 'written', error);
    }
  }

  async deleteOlder(key: ObjectKey, than: number): Promise<boolean> {
    requirePlainKey(key);
    try {
      return await removeOlder(this.#file(key), await this.#temporary.newPath(), than);
    } catch (error) {
      throw folderError(this.#root, 'written', error);
    }
  }

  async head(key: ObjectKey): Promise<ListedObject | undefined> {
    requirePlainKey(key);
    try {
      const stats = await stat(this.#file(key));
      return stats.isFile() ? { key, length: stats.size, modified: stats.mtimeMs } : undefined;
    } catch (error) {
      if (isGone(error)) return undefined;
      throw folderError(this.#root, 'read', error);
    }
  }

  async *list(prefix: string): AsyncGenerator<readonly ListedObject[]> {
    try {
      yield* listFolder(this.#root, prefix);
    } catch (error) {
      throw folderError(this.#root, 'read', error);
    }
  }

  async folders(under: string): Promise<readonly string[]> {
    try {
      return (await namesIn(this.#root, under)).filter(({ isFolder }) => isFolder).map(({ name }) => name);
    } catch (error) {
      throw folderError(this.#root, 'read', error);
    }
  }

  async objects(under: string): Promise<readonly ListedObject[]> {
    const objects: ListedObject[] = [];
    try {
      for await (const batch of listFolder(this.#root, under, { deep: false })) objects.push(...batch);
      return objects;
    } catch (error) {
      throw folderError(this.#root, 'read', error);
    }
  }

  async removeUnfinished(before: number): Promise<number> {
    try {
      return await this.#temporary.removeOld(before);
    } catch (error) {
      throw folderError(this.#root, 'written', error);
    }
  }

  close(): Promise<void> {
    return this.#writer.close();
  }

  async #temporaryFolder(): Promise<string> {
    try {
      return await this.#temporary.newFolder();
    } catch (error) {
      throw folderError(this.#root, 'written', error);
    }
  }

  #file(key: ObjectKey): string {
    return join(this.#root, key);
  }

  #readPart(key: ObjectKey, { start, length }: ObjectRange): Buffer {
    const file = openSync(this.#file(key), 'r');
    try {
      const bytes = Buffer.allocUnsafe(Math.min(length, Math.max(0, fstatSync(file).size - start)));
      if (bytes.length === 0) throw beyondEnd(this.name, key, start);
      const read = readSync(file, bytes, 0, bytes.length, start);
      if (read < bytes.length) throw cutOff(this.name, key, { came: read, of: bytes.length });
      return bytes;
    } finally {
      closeSync(file);
    }
  }

  async #open(key: ObjectKey): Promise<FileHandle> {
    try {
      return await open(this.#file(key));
    } catch (error) {
      if (isGone(error)) throw noSuchObject(this.name, key);
      throw folderError(this.#root, 'read', error);
    }
  }

  #read(file: FileHandle, { key, start, end, signal }: ReadRange): Readable {
    const root = this.#root;
    async function* chunks(): AsyncGenerator<Buffer> {
      try {
        for (let at = start; at < end; ) {
          signal?.throwIfAborted();
          const buffer = Buffer.allocUnsafeSlow(Math.min(CHUNK, end - at));
          const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
          if (bytesRead === 0) throw cutOff(root, key, { came: at - start, of: end - start });
          at += bytesRead;
          yield buffer.subarray(0, bytesRead);
        }
      } catch (error) {
        throw folderError(root, 'read', error);
      } finally {
        await file.close();
      }
    }
    const body = Readable.from(chunks(), { objectMode: false, highWaterMark: CHUNK });
    // A generator that was never started does not run its `finally`.
    body.once('close', () => file.close().catch(() => {}));
    return body;
  }
}

interface ReadRange {
  readonly key: ObjectKey;
  readonly start: number;
  /** The position after the last byte. */
  readonly end: number;
  readonly signal: GetOptions['signal'];
}

/** Length in bytes; undefined for a folder. */
async function lengthOf(file: FileHandle): Promise<number | undefined> {
  const stats = await file.stat();
  return stats.isFile() ? stats.size : undefined;
}
