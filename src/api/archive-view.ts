import * as z from 'zod';
import { formatStamp, type Stamp } from '../core/stamp.ts';
import { type StoredArchive, timeName } from '../publish/archives/stored-archive.ts';
import { setUris } from '../publish/documents.ts';
import { count, datetime, uri } from './fields.ts';

/** The shapes of archives in the JSON API. */

const at = datetime.describe('Every change up to this time is in it.');
const completed = datetime.describe('When it was complete.');

export const archiveSchema = z
  .strictObject({
    set: z.string(),
    lists: z
      .array(z.strictObject({ uri, at, completed, resources: count, pages: count }))
      .describe('Resource Lists, the newest first.'),
    dumps: z.array(z.strictObject({ uri, at, completed })).describe('Resource Dumps, the newest first.'),
  })
  .meta({ id: 'Archive', description: 'What a set was at earlier times.' });

type ArchiveView = z.infer<typeof archiveSchema>;

interface Shown {
  readonly set: string;
  readonly baseUrl: string;
  /** Limits the view to items before this time, in microseconds since 1970. */
  readonly before?: Stamp | undefined;
  /** Most items of each kind; by default all. */
  readonly limit?: number | undefined;
}

interface Timed {
  readonly at: Stamp;
  readonly completed: Stamp;
}

/** The view of a set's archived lists and dumps in the API, and on the command line. */
export function archiveView({ lists, dumps = [] }: StoredArchive, { set, baseUrl, before, limit }: Shown): ArchiveView {
  const uris = setUris(baseUrl, set);
  const shown = <One extends Timed>(all: readonly One[]) =>
    all
      .filter(({ at }) => before === undefined || at < before)
      .toReversed()
      .slice(0, limit);
  return {
    set,
    lists: shown(lists).map(({ at, completed, resources, pages }) => {
      return { uri: uris.archivedList(timeName(at)), ...timesOf({ at, completed }), resources, pages };
    }),
    dumps: shown(dumps).map((dump) => ({ uri: uris.archivedDump(timeName(dump.completed)), ...timesOf(dump) })),
  };
}

function timesOf({ at, completed }: Timed) {
  return { at: formatStamp(at), completed: formatStamp(completed) };
}
