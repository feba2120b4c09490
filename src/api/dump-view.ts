import * as z from 'zod';
import { TidemarkError } from '../core/errors.ts';
import { formatStamp } from '../core/stamp.ts';
import { setUris } from '../publish/documents.ts';
import { type ChangePackage, windowOf } from '../publish/dumps/stored-change-dump.ts';
import { type Dump, dumpTotals } from '../publish/dumps/stored-dump.ts';
import { count, datetime, uri } from './fields.ts';

/** The shapes of dumps in the JSON API. */

const missing = count.describe('Resources that changed while they were packed: the next build packs them.');

const packageSchema = z
  .strictObject({
    name: z.string(),
    uri: uri.describe('The ZIP file.'),
    contents: uri.describe('Its manifest.'),
    resources: count,
    missing,
    length: count.describe('Bytes.'),
    sha256: z.string(),
    at: datetime.describe('Every change of its resources up to this time is in it.'),
    completed: datetime,
  })
  .meta({ id: 'Package', description: 'A package of a Resource Dump.' });

export const dumpSchema = z
  .strictObject({
    set: z.string(),
    at: datetime.describe('Every change up to this time is in it.'),
    completed: datetime,
    totals: z.strictObject({ packages: count, resources: count, missing, bytes: count }).describe('Of all packages.'),
    packages: z.array(packageSchema).describe('In the order of the keys of their resources.'),
    next: z.string().optional().describe('Send it as `after` for what follows. Absent when nothing does.'),
  })
  .meta({ id: 'Dump', description: 'A Resource Dump.' });

const changePackageSchema = z
  .strictObject({
    name: z.string(),
    uri: uri.describe('The ZIP file.'),
    contents: uri.describe('Its manifest.'),
    window: z.string().describe('The part of the Change List that it has changes of.'),
    from: datetime.describe('It has every change since this time.'),
    until: datetime,
    changes: count,
    length: count.describe('Bytes.'),
    sha256: z.string(),
    completed: datetime,
  })
  .meta({ id: 'ChangePackage', description: 'A package of a Change Dump.' });

export const changeDumpSchema = z
  .strictObject({
    set: z.string(),
    from: datetime.describe('It has every change since this time.'),
    until: datetime,
    totals: z
      .strictObject({ windows: count, packages: count, changes: count, bytes: count })
      .describe('Of all packages.'),
    packages: z.array(changePackageSchema).describe('In the order of their changes.'),
    next: z.string().optional().describe('Send it as `after` for what follows. Absent when nothing does.'),
  })
  .meta({ id: 'ChangeDump', description: 'A Change Dump.' });

export type ChangeDumpView = z.infer<typeof changeDumpSchema>;

export type DumpView = z.infer<typeof dumpSchema>;

interface Shown {
  readonly set: string;
  readonly baseUrl: string;
  /** Only the packages after this one. */
  readonly after?: string | undefined;
  /** By default all. */
  readonly limit?: number;
}

/** Some of the packages, and the cursor for the next ones. */
function partOf<Named extends { readonly name: string }>(
  packages: readonly Named[],
  { after, limit = packages.length }: Pick<Shown, 'after' | 'limit'>,
): { readonly shown: readonly Named[]; readonly next: string | undefined } {
  const start = after === undefined ? 0 : 1 + indexOf(packages, after);
  const shown = packages.slice(start, start + limit);
  return { shown, next: start + limit < packages.length ? shown.at(-1)?.name : undefined };
}

function indexOf(packages: readonly { readonly name: string }[], after: string): number {
  const index = packages.findIndex(({ name }) => name === after);
  if (index !== -1) return index;
  const problem = `the dump has no package ${after}`;
  throw new TidemarkError('gone', `${problem}: it was built again meanwhile, so begin anew without "after"`, { after });
}

/** The view of a Change Dump in the API, and on the command line. @param packages at least one */
export function changeDumpView(packages: readonly ChangePackage[], { set, baseUrl, ...asked }: Shown): ChangeDumpView {
  const uris = setUris(baseUrl, set);
  const { shown, next } = partOf(packages, asked);
  const sum = (of: (one: ChangePackage) => number) => packages.reduce((total, one) => total + of(one), 0);
  return {
    set,
    from: formatStamp(packages[0]!.from),
    until: formatStamp(packages.at(-1)!.until),
    totals: {
      windows: new Set(packages.map(windowOf)).size,
      packages: packages.length,
      changes: sum(({ changes }) => changes),
      bytes: sum(({ length }) => length),
    },
    packages: shown.map((one) => ({
      name: one.name,
      uri: uris.changePackage(one.name),
      contents: uris.changeManifest(one.name),
      window: windowOf(one),
      from: formatStamp(one.from),
      until: formatStamp(one.until),
      changes: one.changes,
      length: one.length,
      sha256: one.sha256,
      completed: formatStamp(one.completed),
    })),
    next,
  };
}

/** The view of a Resource Dump in the API, and on the command line. */
export function dumpView(dump: Dump, { set, baseUrl, ...asked }: Shown): DumpView {
  const uris = setUris(baseUrl, set);
  const { shown, next } = partOf(dump.packages, asked);
  return {
    set,
    at: formatStamp(dump.at),
    completed: formatStamp(dump.completed),
    totals: dumpTotals(dump),
    packages: shown.map(({ name, resources, missing, length, sha256, at, completed }) => ({
      name,
      uri: uris.dumpPackage(name),
      contents: uris.dumpManifest(name),
      resources,
      missing,
      length,
      sha256,
      at: formatStamp(at),
      completed: formatStamp(completed),
    })),
    next,
  };
}
