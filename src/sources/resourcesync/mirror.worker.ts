import { parentPort, workerData } from 'node:worker_threads';
import type { Mirror } from '../../client/mirror/mirror.ts';
import type { PassReport } from '../../client/mirror/mirror-options.ts';
import { openMirror } from '../../client/mirror/open-mirror.ts';
import { folderPlace } from '../../client/mirror/target/folder-place.ts';
import { armFailpoint } from '../../lib/failpoint.ts';
import { serveCalls } from '../../lib/workers/rpc.ts';
import type { MirrorSettings } from '../mirror-settings.ts';

interface PassResult {
  readonly report: PassReport;
  /** Paths that the copy has gained, lost or replaced since the last pass; the empty path means everything. */
  readonly changed: readonly string[];
  /** URL of the stream on which the source sends changes as they happen. */
  readonly eventsUri: string | undefined;
}

/** The thread that updates a copy. It may end at any time: the next mirror resumes from the state that it finds. */
const settings = workerData as MirrorSettings;
armFailpoint(settings.failpoint);
const CONNECTIONS = 4;
/** Most changed paths that are reported one by one; more are reported as the whole root. */
const MOST_PATHS = 10_000;
let mirror: Mirror | undefined;
let changed: string[] = [];

const functions = {
  async open(): Promise<void> {
    const { folder, url, set, allowedHosts, tokenFile, netrc } = settings;
    mirror = await openMirror({
      url,
      set,
      place: folderPlace(folder),
      adopt: false,
      keepDeleted: false,
      dump: true,
      isListed: true,
      connections: CONNECTIONS,
      rate: Number.POSITIVE_INFINITY,
      allowedHosts,
      tokenFile,
      netrc,
      signal: new AbortController().signal,
      onChanged: (path) => {
        if (changed.length <= MOST_PATHS) changed.push(path);
      },
      onProgress: (progress) => parentPort!.postMessage({ progress }),
      onNotice: () => {},
      onPause: () => {},
      // The server retries, and reports the reason.
      waitsForSource: false,
      onOutage: () => {},
    });
  },
  async pass(options: { readonly skipsFailed: boolean }): Promise<PassResult> {
    // This thread took the place of one that has ended.
    if (mirror === undefined) await functions.open();
    const report = await mirror!.pass(options);
    const paths = changed.length > MOST_PATHS ? [''] : changed;
    changed = [];
    return { report, changed: paths, eventsUri: mirror!.eventsUri };
  },
};
export type MirrorFunctions = typeof functions;

serveCalls(functions, () => mirror?.close());
