import type { DatasetBackend } from '../../archiving.ts';
import type { DatasetFetcher } from '../../fetch/dataset-fetcher.ts';
import type { ByteLimits } from '../../strategies/byte-budget.ts';
import type { Timing } from './attempts.ts';
import { ias3Backend } from './ias3-backend.ts';
import { savePageNowBackend } from './save-page-now-backend.ts';
import { openService } from './service.ts';

/** How a remote backend is reached. */
interface RemoteBackend {
  /** Of Save Page Now 2, or of IAS3. */
  readonly url: string;
  /** A file with `ACCESS:SECRET`. */
  readonly keysFile: string | undefined;
  /** For the header User-Agent. */
  readonly contact?: string | undefined;
  readonly limits: ByteLimits;
  readonly scratchFolder: string;
  /** Instead of the timings below; requests a second are not limited then. */
  readonly timing?: Timing;
}

export interface OpenRemoteBackend {
  readonly backend: DatasetBackend;
  close(): void;
}

const MINUTE_MS = 60_000;
const ATTEMPTS: Timing = { attempts: 5, firstMs: 2_000, longestMs: MINUTE_MS, timeoutMs: 10 * MINUTE_MS };
/** Save Page Now works for up to some minutes, and its index knows a capture some minutes later. */
const CAPTURES: Timing = { attempts: 1, firstMs: 1_000, longestMs: 15_000, timeoutMs: 20 * MINUTE_MS };
/** Archive.org stores what it got when a task of it is run. */
const ITEMS: Timing = { attempts: 1, firstMs: 2_000, longestMs: MINUTE_MS, timeoutMs: 60 * MINUTE_MS };

/** Captures files with Save Page Now 2: the setting `--dataset-web`. */
export function openSavePageNow({ url, contact, timing, ...options }: RemoteBackend): OpenRemoteBackend {
  const rate = rateOf(timing);
  const service = openService({ name: 'Save Page Now', setting: '--dataset-web', url, contact, rate });
  const backend = savePageNowBackend({
    ...options,
    service,
    capturing: timing ?? ATTEMPTS,
    polling: timing ?? CAPTURES,
  });
  return { backend, close: service.close };
}

interface Ias3Backend extends RemoteBackend {
  /** Of the metadata API, and of the files of items. */
  readonly metadataUrl: string;
  readonly fetcher: DatasetFetcher;
}

/** Sends files to items of archive.org: the setting `--dataset-archiveorg`. */
export function openIas3({ url, metadataUrl, contact, timing, ...options }: Ias3Backend): OpenRemoteBackend {
  const rate = rateOf(timing);
  const service = openService({ name: 'IAS3', setting: '--dataset-archiveorg', url, contact, rate });
  const metadata = openService({
    name: 'the metadata API of archive.org',
    setting: '--dataset-archiveorg-metadata',
    url: metadataUrl,
    contact,
    rate,
  });
  const timings = { sending: timing ?? ATTEMPTS, polling: timing ?? ITEMS };
  return {
    backend: ias3Backend({ ...options, ...timings, service, metadata }),
    close() {
      service.close();
      metadata.close();
    },
  };
}

const rateOf = (timing: Timing | undefined) => (timing === undefined ? undefined : Number.POSITIVE_INFINITY);
