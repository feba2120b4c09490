import { originOfGivenRoot } from '../../config/given-root.ts';
import { exclusionsOfOwnFiles } from '../../config/own-files.ts';
import { type SetValues, toSetFields } from '../../config/set/set-settings.ts';
import { TidemarkError } from '../../core/errors.ts';
import { parseSlug, type ResourceSet } from '../../core/resource-set.ts';
import { SyncCounter, type SyncSummary } from '../../sources/sync-counter.ts';
import type { Call } from '../cli-command.ts';
import { confirmRoot } from '../confirm-root.ts';
import { publishedOrigin, publishedSet, refuseOtherFolder, setOfFolder } from '../set-of-folder.ts';
import { announceChanges } from '../ui/announce-changes.ts';
import { printSyncEvents } from '../ui/print-sync-events.ts';
import { type ScanBar, startScanBar } from '../ui/scan-bar.ts';
import { type Source, serveSource } from './serve-source.ts';
import { openLogs } from './server-logs.ts';

interface FolderOptions {
  /** A folder, or a location on S3. */
  readonly root: string;
  readonly id: string | undefined;
  readonly values: SetValues;
  /** Whether a new history may start when the base URL changes. */
  readonly confirmed: boolean;
  /** Whether a home folder, or all of `/`, may be published. */
  readonly confirmedRoot: boolean;
  /** Called when the folder is published. Its output comes before the first change. */
  onPublished(source: Source, published: PublishedFolder): Promise<void>;
}

export interface PublishedFolder {
  readonly set: ResourceSet;
  /** Whether it was published before; `found` then contains the changes since. */
  readonly isKnown: boolean;
  /** The first scan. */
  readonly found: SyncSummary;
}

const STOPPED =
  'Stopped before everything was read. What was read is kept, and the same command goes on with the rest of it.';

/** Publishes a folder and shows its changes, until a signal stops it. Checks everything before it makes a set. */
export async function publishFolder(
  call: Pick<Call, 'loaded' | 'terminal' | 'workingDirectory' | 'stopped'>,
  { root, id, values, confirmed, confirmedRoot, onPublished }: FolderOptions,
): Promise<void> {
  const { loaded, terminal, workingDirectory, stopped } = call;
  const { dataFolder, sources } = loaded.configuration;
  if (!sources) throw noSources();
  let origin = await originOfGivenRoot(root, workingDirectory);
  const ownFiles = exclusionsOfOwnFiles(origin, loaded.configuration);
  toSetFields(values, origin);
  if (id !== undefined) parseSlug(id);
  let published: ResourceSet | undefined;
  let bar: ScanBar | undefined;
  let found: SyncSummary | undefined;
  const serving = serveSource(call, openLogs(call), {
    confirmed,
    async check(app) {
      origin = await publishedOrigin(app, origin);
      await refuseOtherFolder(app, { origin, dataFolder });
      if ((await publishedSet(app, origin)) === undefined) await confirmRoot(call, origin, confirmedRoot);
    },
    async prepare(app) {
      published = await setOfFolder(app, { id, values, origin, ownFiles });
      if (ownFiles.length > 0)
        terminal.say(`Left out, because Tidemark keeps its own files there: ${ownFiles.join(' ')}`);
      bar = startScanBar(terminal, app.sources.rootOf(published).root);
    },
    wants: () => [published!.id],
    eventsOf(set) {
      if (set.id !== published?.id) return printSyncEvents(terminal, set, undefined);
      const events = printSyncEvents(terminal, set, bar);
      return {
        ...events,
        onScanned(summary, extent, under) {
          if (extent === 'full') found ??= summary;
          events.onScanned?.(summary, extent, under);
        },
      };
    },
    async running(source) {
      const isReady = await source.loops.ready(published!.id);
      bar?.end();
      if (!isReady) return terminal.say(STOPPED);
      // Changes are shown from here on, also those during the messages below.
      const after = await source.app.index.watermark();
      const summary = found ?? new SyncCounter().summary();
      await onPublished(source, { set: published!, isKnown: published!.ready, found: summary });
      await announceChanges(source.app, { after, terminal, signal: stopped });
    },
  });
  await serving.finally(() => bar?.end());
}

function noSources(): TidemarkError {
  const message =
    'the setting "sources" is false: "tidemark publish" keeps a folder in sync, so use "tidemark serve", or leave the setting out';
  return new TidemarkError('invalid', message, { field: 'sources' });
}
