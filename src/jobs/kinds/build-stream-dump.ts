import { LONGEST_PAUSE_MS } from '../../records/dumps/choose-boundary.ts';
import type { DumpKind } from '../../records/dumps/stored-stream-dump.ts';
import { type DumpSettings, OFF } from '../../records/stream-dump-settings.ts';
import { type StreamName, setOfStream } from '../../records/stream-set-names.ts';
import { defineJob, type Scheduled } from '../job-definition.ts';
import type { JobParts } from '../job-parts.ts';
import { cron } from '../schedule.ts';

/** Payload of a job that makes a dump. */
export interface DumpOfStream extends StreamName {
  readonly kind: DumpKind;
  /** Of a schedule: see BuildOptions. */
  readonly onlyIfChanged?: true;
}

/** Makes a dump of the records of a stream, by its settings or on request of a user. */
export const buildStreamDump = defineJob<DumpOfStream>({
  kind: 'build-stream-dump',
  retry: { attempts: 5, firstMs: 5_000, longestMs: 60_000 },
  // A conflict usually means that uploads are being applied.
  waitsAfterConflict: true,
  oneAtATimePer: dumpedSet,
  schedules,

  async run({ kind, onlyIfChanged, ...name }, { records: { streamDumps } }, { signal, wait, report, log }) {
    const until = wait?.until;
    const made = await streamDumps.build(name, kind, {
      signal,
      onlyIfChanged,
      job: { until: until ?? Date.now() + LONGEST_PAUSE_MS, hasWaited: until !== undefined },
      onProgress: report,
      onWaiting: (reason) => report({ text: `waits: ${reason}` }),
    });
    if (made.length === 0) log('nothing has changed since the last dump');
    for (const { number, kind, totals } of made) {
      log(`made the ${kind === 'full' ? 'full dump' : 'delta'} ${number}: ${totals.records} records`);
    }
    return { ...name, made: made.map(({ number, kind, totals }) => ({ number, kind, ...totals })) };
  },
});

/** The set that publishes the files. */
export function dumpedSet(name: StreamName): string {
  return setOfStream(name, 'dumps');
}

/**
 * Schedules of all organizations, by their dump settings or those of the source, and of streams with settings. They
 * are read again at least every 10 seconds, so every process that runs jobs follows a change.
 */
async function schedules({
  records: { organizations },
  configuration,
}: JobParts): Promise<readonly Scheduled<DumpOfStream>[]> {
  const { timeZone, fullDumps: full, deltas: delta } = configuration;
  return (await organizations.list()).flatMap(({ id: organization, dumps, defaultStream, streams }) => {
    const since = streams.find(({ id }) => id === defaultStream)?.created;
    return [
      ...schedulesOf({ organization }, [dumps, since === undefined ? {} : { full, delta, since }], timeZone),
      ...streams.flatMap(({ id: stream, dumps }) => schedulesOf({ organization, stream }, [dumps], timeZone)),
    ];
  });
}

/**
 * Of each kind, the first of the settings that has it counts. The full dump comes first. A full dump includes a delta,
 * and jobs of the same time have the same id, so no separate delta is made at that time.
 */
function schedulesOf(
  name: StreamName,
  settings: readonly (DumpSettings | undefined)[],
  timeZone: string,
): readonly Scheduled<DumpOfStream>[] {
  const set = dumpedSet(name);
  const settingsOf = (kind: DumpKind) => settings.find((one) => one?.[kind] !== undefined) ?? {};
  const scheduled = (kind: DumpKind) => {
    const { [kind]: pattern = OFF, since = 0 } = settingsOf(kind);
    const payload = { ...name, kind, onlyIfChanged: true } as const;
    return pattern === OFF ? [] : [{ schedule: cron(pattern, timeZone), payload, set, since }];
  };
  const [full, delta] = [scheduled('full'), scheduled('delta')];
  return full[0]?.schedule.text === delta[0]?.schedule.text ? full : [...full, ...delta];
}
