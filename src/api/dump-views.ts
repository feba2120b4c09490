import { formatStamp } from '../core/stamp.ts';
import { setUris } from '../publish/documents.ts';
import { type Dump, dumpTotals } from '../publish/dumps/stored-dump.ts';
import type { DumpView } from './dump-schemas.ts';

interface Shown {
  readonly set: string;
  readonly baseUrl: string;
  /** Only the packages after this one. */
  readonly after?: string | undefined;
  /** All without it. */
  readonly limit?: number;
}

/** The view of a Resource Dump in the API, and on the command line. */
export function dumpView(dump: Dump, { set, baseUrl, after, limit = dump.packages.length }: Shown): DumpView {
  const uris = setUris(baseUrl, set);
  const start = after === undefined ? 0 : dump.packages.findIndex(({ name }) => name === after) + 1;
  const shown = dump.packages.slice(start, start + limit);
  return {
    set,
    at: formatStamp(dump.at),
    completed: formatStamp(dump.completed),
    totals: dumpTotals(dump),
    packages: shown.map(({ name, resources, missing, length, sha256, at, completed }) => ({
      ...{ name, uri: uris.dumpPackage(name), contents: uris.dumpManifest(name), resources, missing, length, sha256 },
      ...{ at: formatStamp(at), completed: formatStamp(completed) },
    })),
    next: start + limit < dump.packages.length ? shown.at(-1)?.name : undefined,
  };
}
