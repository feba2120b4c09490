import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { Instruments } from './instrument.ts';

const STORE_TIMEOUT_MS = 2_000;
/** Milliseconds for which the figures are cached: counting records costs the store a request for each hundred sets. */
const FRESH_MS = 15_000;
/** Organizations with metrics: each has six series. */
const MOST = 1_000;

/** What is known of an organization: see `OrganizationFigures` of the records. Times are milliseconds since 1970. */
interface Figures {
  readonly organization: { readonly id: string; readonly private?: boolean | undefined };
  readonly lastUpload: { readonly received: number } | undefined;
  readonly failed: number;
  readonly waiting: number;
  readonly records: number;
  readonly lastFull: number | undefined;
  readonly lastDelta: number | undefined;
}

interface Overview {
  read(): Promise<readonly Figures[]>;
}

export const ORGANIZATION_METRICS = [
  'tidemark_organization_last_upload_timestamp_seconds',
  'tidemark_organization_uploads',
  'tidemark_organization_records',
  'tidemark_organization_dump_timestamp_seconds',
] as const;

/** Metrics of each organization: the only ones whose labels are names that users give. */
export class OrganizationMetrics {
  readonly #lastUpload;
  readonly #uploads;
  readonly #records;
  readonly #dumps;
  #overview: Overview | undefined;
  #private: ReadonlySet<string> = new Set();
  #read = Number.NEGATIVE_INFINITY;

  constructor(instruments: Instruments) {
    const [lastUpload, uploads, records, dumps] = ORGANIZATION_METRICS;
    this.#lastUpload = instruments.gauge({
      name: lastUpload,
      help: 'When the last upload of an organization was received, in seconds since 1970; no value before the first one. Organizations: the first 1,000 by id; private ones for those alone who may read all of them.',
      labels: ['organization'],
    });
    this.#uploads = instruments.gauge({
      name: uploads,
      help: 'Uploads of an organization. state: failed (within the last 30 days, and not processed since) or waiting (not processed yet).',
      labels: ['organization', 'state'],
    });
    this.#records = instruments.gauge({
      name: records,
      help: 'Live records of the default stream of an organization, and of its collections.',
      labels: ['organization'],
    });
    this.#dumps = instruments.gauge({
      name: dumps,
      help: 'When the last dump of the default stream of an organization was made, in seconds since 1970. kind: full or delta.',
      labels: ['organization', 'kind'],
    });
  }

  watch(overview: Overview): void {
    this.#overview = overview;
  }

  /** Reads the figures. Returns false when the store does not answer in time: the old ones stay. */
  async read(): Promise<boolean> {
    if (this.#overview === undefined || performance.now() - this.#read < FRESH_MS) return true;
    const all = await withTimeout(this.#overview.read(), STORE_TIMEOUT_MS, () => undefined).catch(() => undefined);
    if (all === undefined) return false;
    this.#read = performance.now();
    for (const gauge of [this.#lastUpload, this.#uploads, this.#records, this.#dumps]) gauge.reset();
    for (const figures of all.slice(0, MOST)) this.#set(figures);
    this.#private = new Set(all.flatMap(({ organization }) => (organization.private ? [organization.id] : [])));
    return true;
  }

  /** The text of a scrape without what names a private organization. */
  withoutPrivate(text: string): string {
    const isPublic = (line: string) => {
      const organization = /^tidemark_organization_\w+\{organization="([^"]*)"/.exec(line)?.[1];
      return organization === undefined || !this.#private.has(organization);
    };
    return text.split('\n').filter(isPublic).join('\n');
  }

  #set({ organization: { id }, lastUpload, failed, waiting, records, lastFull, lastDelta }: Figures): void {
    const organization = { organization: id };
    if (lastUpload !== undefined) this.#lastUpload.set(organization, lastUpload.received / 1000);
    this.#uploads.set({ ...organization, state: 'failed' }, failed);
    this.#uploads.set({ ...organization, state: 'waiting' }, waiting);
    this.#records.set(organization, records);
    if (lastFull !== undefined) this.#dumps.set({ ...organization, kind: 'full' }, lastFull / 1000);
    if (lastDelta !== undefined) this.#dumps.set({ ...organization, kind: 'delta' }, lastDelta / 1000);
  }
}
