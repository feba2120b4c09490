import { currentDumps, filesInForm } from '../../../records/dumps/current-dumps.ts';
import { StoredDumps } from '../../../records/dumps/stored-dumps.ts';
import { dumpFilePath, dumpId, dumpsOf, isListed, type StreamDump } from '../../../records/dumps/stored-stream-dump.ts';
import type { StreamName } from '../../../records/stream-set-names.ts';
import type { Catalog } from '../../../stores/catalog.ts';
import { latestPages } from '../../../stores/latest-pages.ts';
import { type DeliveredFile, type Deliveries, type Delivery, keyOfFile } from './delivered-files.ts';
import { wholeArtifact } from './whole-artifact.ts';

/** Number of dumps that are read at a time. */
const PAGE = 250;

/** The files of the dumps of a stream, without removed dumps, the oldest first. */
export function dumpFiles(catalog: Pick<Catalog, 'get' | 'latest'>, name: StreamName): Deliveries {
  return {
    async *pages() {
      const pages = latestPages<StreamDump>(catalog, { kind: 'stream-dump', prefix: dumpsOf(name), limit: PAGE });
      for await (const { documents } of pages) {
        yield documents.map(({ body }) => ({ number: body.number, files: filesOf(body) }));
      }
    },

    async at(number) {
      const dump = await catalog.get<StreamDump>('stream-dump', dumpId({ ...name, number }));
      return dump === undefined ? [] : filesOf(dump.body);
    },
  };
}

/**
 * The files of the last full dump of a stream and of the deltas after it in one form, which are few.
 * @param form see `filesInForm`
 */
export function dumpFilesInForm(
  catalog: Pick<Catalog, 'get' | 'put' | 'latest'>,
  name: StreamName,
  form: string,
): Deliveries {
  const stored = new StoredDumps(catalog);
  async function current(): Promise<readonly Delivery[]> {
    const dumps = currentDumps(await stored.listed(name));
    return dumps.map((dump) => ({ number: dump.number, files: filesOf({ ...dump, files: filesInForm(dump, form) }) }));
  }
  return {
    async *pages() {
      yield (await current()).toReversed();
    },

    at: async (number) => (await current()).find((dump) => dump.number === number)?.files ?? [],
  };
}

function filesOf(dump: StreamDump): readonly DeliveredFile[] {
  if (!isListed(dump)) return [];
  const { at } = dump;
  const files = dump.files.map((file) => ({
    key: keyOfFile(dumpFilePath(dump, file).split('/')),
    state: wholeArtifact({ ...file, at }),
  }));
  return files.sort((one, other) => (one.key < other.key ? -1 : 1));
}
