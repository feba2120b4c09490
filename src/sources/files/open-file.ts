import { TidemarkError } from '../../core/errors.ts';
import { pathOfKey, type ResourceKey } from '../../core/key.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { ContentRoot, RootFile } from '../content-root.ts';
import type {
  LiveResource,
  OpenedBytes,
  OpenedResource,
  ServedBytes,
  ServedRange,
  WantedBytes,
} from '../served-source.ts';
import { lastModifiedOf } from './file-times.ts';

/** A file that changed within so many seconds may change again within the same second. */
const SETTLING_SECONDS = 2;

interface ServedFiles {
  readonly set: Pick<ResourceSet, 'presignedSeconds'>;
  readonly root: ContentRoot;
}

/** Opens the current file: the state may still describe an earlier version. */
export async function openFile(
  { set, root }: ServedFiles,
  { key, state }: LiveResource,
  { method, isWhole }: WantedBytes,
): Promise<OpenedResource> {
  const path = pathOf(key);
  const { presignedSeconds: expires } = set;
  if (expires !== undefined && root.presign !== undefined) {
    return { redirect: await root.presign(path, { method, expires }) };
  }
  return openedBytes(await root.open(path, isWhole), state.mime);
}

function openedBytes(file: RootFile, mime: string | undefined): OpenedBytes {
  const { length, mtime, tag } = file;
  const now = Date.now();
  const lastModified = lastModifiedOf(mtime, now);
  return {
    length,
    mime,
    tag,
    lastModified,
    dateTellsVersions: lastModified !== undefined && now / 1000 - lastModified > SETTLING_SECONDS,
    read: async (range) => bytesOf(file, range),
    close: () => file.close(),
  };
}

function bytesOf(file: RootFile, { start, length }: ServedRange): ServedBytes {
  const end = start + length - 1;
  if (file.bytes !== undefined) return file.bytes.subarray(start, end + 1);
  if (file.readInto === undefined) return file.stream({ start, end });
  let at = start;
  return {
    async read(into: Buffer) {
      const read = at > end ? 0 : await file.readInto!(into, { start: at, end });
      at += read;
      return read;
    },
    stream: () => file.stream({ start: at, end }),
    close: () => file.close(),
  };
}

function pathOf(key: ResourceKey): string {
  const path = pathOfKey(key);
  if (path !== undefined) return path;
  throw new TidemarkError('not-found', `no file can be at ${key}`, { key });
}
