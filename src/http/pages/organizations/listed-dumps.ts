import type { StreamDumpView } from '../../../api/stream-dump-schemas.ts';
import { streamDumpsView } from '../../../api/stream-dump-views.ts';
import { isTidemarkError } from '../../../core/errors.ts';
import { keyOfUri } from '../../../core/key.ts';
import { type StreamName, setOfStream } from '../../../streams/set-names.ts';
import type { ServedApp } from '../../request/served-app.ts';

/** Those of which it is checked whether they are published; older ones are. */
const MOST_CHECKED = 100;

/**
 * Dumps, oldest first, with the addresses of files that are published: the set of dumps follows a little later, or when
 * a server syncs it, and answers 404 before.
 */
export async function listedDumps(name: StreamName, app: ServedApp): Promise<readonly StreamDumpView[]> {
  const { dumps } = await streamDumpsView(name, app);
  const published = await publishedOf(name, dumps.slice(-MOST_CHECKED), app);
  return dumps.map((dump, at) => {
    if (at < dumps.length - MOST_CHECKED || published.has(dump.number)) return dump;
    return { ...dump, files: dump.files.map(({ uri: _, ...file }) => file) };
  });
}

export function isPublished({ files }: StreamDumpView): boolean {
  return files.every(({ uri }) => uri !== undefined);
}

/** By their last files: files are published in their order. */
async function publishedOf(
  name: StreamName,
  dumps: readonly StreamDumpView[],
  { sets, index }: ServedApp,
): Promise<ReadonlySet<number>> {
  try {
    const { id, urlPrefix } = await sets.bySlug(setOfStream(name, 'dumps'));
    const last = dumps.flatMap(({ number, files }) => {
      const key = keyOfUri(urlPrefix, files.at(-1)?.uri ?? '');
      return key === undefined ? [] : [{ number, key }];
    });
    const found = await index.lookup(
      id,
      last.map(({ key }) => key),
    );
    return new Set(last.filter((_, at) => found[at]?.state !== undefined).map(({ number }) => number));
  } catch (error) {
    // The set is being made.
    if (isTidemarkError(error, 'not-found')) return new Set();
    throw error;
  }
}
