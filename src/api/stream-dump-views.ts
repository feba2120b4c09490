import { isTidemarkError } from '../core/errors.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { formatStamp } from '../core/stamp.ts';
import { dumpFilePath, type StreamDump } from '../streams/dumps/stored-dump.ts';
import { type StreamName, setOfStream } from '../streams/set-names.ts';
import type { StreamDumpsView, StreamDumpView } from './stream-dump-schemas.ts';

/** Where dumps are listed from. */
interface Parts {
  readonly streamDumps: { list(name: StreamName): Promise<readonly StreamDump[]> };
  readonly sets: { bySlug(slug: string): Promise<Pick<ResourceSet, 'urlPrefix'>> };
}

export async function streamDumpsView(name: StreamName, { streamDumps, sets }: Parts): Promise<StreamDumpsView> {
  const { organization, stream } = name;
  const prefix = await prefixOf(name, sets);
  const dumps = (await streamDumps.list(name)).map((dump) => streamDumpView(dump, prefix));
  return { organization, ...(stream !== undefined && { stream }), dumps };
}

/** @param prefix of the set that publishes its files, if there is one */
export function streamDumpView(dump: StreamDump, prefix?: string): StreamDumpView {
  const { number, kind, at, after, until, totals, files } = dump;
  return {
    number,
    kind,
    at: new Date(at).toISOString(),
    ...(after !== undefined && { after: formatStamp(after) }),
    until: formatStamp(until),
    totals: { ...totals },
    files: files.map(({ kind, name, length, sha256, mime }) => {
      const uri = prefix === undefined ? {} : { uri: prefix + dumpFilePath(dump, { name }) };
      return { kind, name, ...uri, length, sha256, type: mime };
    }),
  };
}

async function prefixOf(name: StreamName, sets: Parts['sets']): Promise<string | undefined> {
  try {
    return (await sets.bySlug(setOfStream(name, 'dumps'))).urlPrefix;
  } catch (error) {
    if (isTidemarkError(error, 'not-found')) return undefined;
    throw error;
  }
}
