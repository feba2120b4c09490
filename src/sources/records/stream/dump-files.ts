import { dumpFilePath, dumpId, dumpsOf, isListed, type StreamDump } from '../../../records/dumps/stored-stream-dump.ts';
import type { StreamName } from '../../../records/stream-set-names.ts';
import type { Catalog } from '../../../stores/catalog.ts';
import { latestPages } from '../../../stores/latest-pages.ts';
import { type DeliveredFile, type Deliveries, keyOfFile } from './delivered-files.ts';
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

function filesOf(dump: StreamDump): readonly DeliveredFile[] {
  if (!isListed(dump)) return [];
  const { at } = dump;
  const files = dump.files.map((file) => ({
    key: keyOfFile(dumpFilePath(dump, file).split('/')),
    state: wholeArtifact({ ...file, at }),
  }));
  return files.sort((one, other) => (one.key < other.key ? -1 : 1));
}
