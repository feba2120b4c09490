import * as z from 'zod';
import { unlessNotFound } from '../core/errors.ts';
import { keyOfUri } from '../core/key.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { formatStamp } from '../core/stamp.ts';
import { withoutBuckets } from '../core/without-paths.ts';
import {
  DUMP_FILE_KINDS,
  DUMP_KINDS,
  type DumpKind,
  dumpFilePath,
  type StreamDump,
} from '../records/dumps/stored-stream-dump.ts';
import { type StreamName, setOfStream } from '../records/stream-set-names.ts';
import { type Job, jobName } from '../stores/job.ts';
import { ARTIFACT_STORE_AWAY } from '../stores/job-waits.ts';
import type { ResourceStates } from '../stores/resource-states.ts';
import { count, datetime } from './fields.ts';
import { jobView, waitText } from './job-view.ts';

/** The shapes of dumps of records in the JSON API. */

const streamDumpFileSchema = z
  .strictObject({
    kind: z.enum(DUMP_FILE_KINDS),
    name: z.string().describe('As the POD aggregator names it; of a later dump of its kind on one day, with the time.'),
    uri: z
      .string()
      .meta({ format: 'uri' })
      .optional()
      .describe('Where it is published. Absent until it is, mostly within a second.'),
    length: count.describe('Bytes.'),
    sha256: z.string().describe('Hexadecimal.'),
    md5: z.string().optional().describe('Hexadecimal. Absent of dumps that an older version made.'),
    type: z.string(),
  })
  .meta({ id: 'StreamDumpFile' });

const streamDumpSchema = z
  .strictObject({
    number: z.int().min(1).describe('The order in which dumps are to be taken, from 1.'),
    kind: z.enum(DUMP_KINDS),
    at: datetime.describe('When it was complete: in a later second than that of every lower number.'),
    after: datetime.optional().describe('Of a delta: it has what changed since then.'),
    until: datetime.describe('It has every upload that was applied before.'),
    totals: z.strictObject({
      records: count,
      deletions: count.describe('Ids of records that are no more.'),
      errata: count.describe('Errors and warnings of the uploads since the dump of its kind before.'),
    }),
    files: z.array(streamDumpFileSchema),
  })
  .meta({ id: 'StreamDump', description: 'A full dump, or a delta, of the records of a stream.' });

export const streamDumpsSchema = z
  .strictObject({
    organization: z.string(),
    stream: z.string().optional().describe('Absent: whichever is the default one.'),
    dumps: z.array(streamDumpSchema).describe('Oldest first.'),
    underWay: z
      .array(
        z.strictObject({
          kind: z.enum(DUMP_KINDS),
          job: z.string().describe('The name of the job that makes it.'),
          since: datetime,
          text: z.string().optional().describe('What it does, or what it waits for.'),
        }),
      )
      .describe('Those that are being made, or wait.'),
  })
  .meta({ id: 'StreamDumps' });

export type StreamDumpView = z.output<typeof streamDumpSchema>;

export type StreamDumpsView = z.output<typeof streamDumpsSchema>;

type DumpsSet = Pick<ResourceSet, 'id' | 'urlPrefix'>;

/** The stores from which dumps are listed. */
interface Parts {
  readonly records: { readonly streamDumps: { list(name: StreamName): Promise<readonly StreamDump[]> } };
  readonly jobs: { readonly streamDumps: { open(name: StreamName): Promise<readonly Job[]> } };
  readonly sets: { bySlug(slug: string): Promise<DumpsSet> };
  readonly index: Pick<ResourceStates, 'lookup'>;
}

/** Number of dumps that are checked for being published; older ones are published. */
const MOST_CHECKED = 100;

/**
 * Dumps, oldest first, with the addresses of published files. The set of dumps is synced a little later, or by another
 * server, and answers 404 until then.
 */
export async function streamDumpsView(name: StreamName, parts: Parts): Promise<StreamDumpsView> {
  const { organization, stream } = name;
  const set = await setOf(name, parts.sets);
  // The jobs are read first: a job that ends meanwhile has made its dump.
  const jobs = await parts.jobs.streamDumps.open(name);
  const listed = await parts.records.streamDumps.list(name);
  const isPublished = await publishedOf(listed, set, parts.index);
  const dumps = listed.map((dump) => streamDumpView(dump, isPublished(dump) ? set?.urlPrefix : undefined));
  return { organization, ...(stream !== undefined && { stream }), dumps, underWay: jobs.map(underWayView) };
}

/** @param prefix of the set that publishes its files; absent while they are not published */
export function streamDumpView(dump: StreamDump, prefix?: string): StreamDumpView {
  const { number, kind, at, after, until, totals, files } = dump;
  return {
    number,
    kind,
    at: new Date(at).toISOString(),
    ...(after !== undefined && { after: formatStamp(after) }),
    until: formatStamp(until),
    totals: { ...totals },
    files: files.map(({ kind, name, length, sha256, md5, mime }) => {
      const uri = prefix === undefined ? {} : { uri: prefix + dumpFilePath(dump, { name }) };
      return { kind, name, ...uri, length, sha256, ...(md5 !== undefined && { md5 }), type: mime };
    }),
  };
}

function underWayView(job: Job): StreamDumpsView['underWay'][number] {
  const { payload, added, state, progress } = job;
  const { waits, error } = jobView(job);
  const queued = waits === undefined ? error : waitText(waits);
  const text = state === 'running' ? progress?.text : queued;
  return {
    kind: (payload as { readonly kind: DumpKind }).kind,
    job: jobName(job),
    since: new Date(added).toISOString(),
    ...(text !== undefined && { text: forEverybody(text) }),
  };
}

/** Bucket and server of the artifact store are for administrators. */
function forEverybody(text: string): string {
  const at = text.indexOf(ARTIFACT_STORE_AWAY);
  return withoutBuckets(at === -1 ? text : text.slice(0, at + ARTIFACT_STORE_AWAY.length));
}

/** Undefined when the set does not exist yet. */
function setOf(name: StreamName, sets: Parts['sets']): Promise<DumpsSet | undefined> {
  return unlessNotFound(sets.bySlug(setOfStream(name, 'dumps')));
}

/** Checks their last files: files are published in order. */
async function publishedOf(
  dumps: readonly StreamDump[],
  set: DumpsSet | undefined,
  index: Parts['index'],
): Promise<(dump: StreamDump) => boolean> {
  if (set === undefined) return () => false;
  const { id, urlPrefix } = set;
  const checked = dumps.slice(-MOST_CHECKED).flatMap((dump) => {
    const last = dump.files.at(-1);
    const key = last && keyOfUri(urlPrefix, urlPrefix + dumpFilePath(dump, last));
    return key === undefined ? [] : [{ dump, key }];
  });
  const found = await index.lookup(
    id,
    checked.map(({ key }) => key),
  );
  const missing = new Set(checked.filter((_, at) => found[at]?.state === undefined).map(({ dump }) => dump));
  return (dump) => !missing.has(dump);
}
