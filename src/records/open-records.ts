import { join } from 'node:path';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Configuration } from '../config/configuration.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { Closers } from '../lib/calls/closers.ts';
import type { SetRegistry } from '../sets/set-registry.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { EventPoster } from '../stores/event-poster.ts';
import type { ResourceIndex } from '../stores/resource-index.ts';
import type { RunParts } from './activities/perform-run.ts';
import type { RunOptionsGiven } from './activities/run-request.ts';
import { planRemoval, processAgain, type RemovalRequest, removeUpload } from './again/remove-upload.ts';
import { OaiClient, type OaiClientOptions } from './arrivals/oai-harvest/oai-client.ts';
import { ResumableUploads } from './arrivals/resumable/resumable-uploads.ts';
import type { NamedUpload, Upload } from './arrivals/upload.ts';
import { Uploads } from './arrivals/uploads.ts';
import type { AroundRuns } from './collections/around-runs.ts';
import { CollectionRegistry } from './collections/collection-registry.ts';
import { HarvestMessages } from './collections/harvest-messages.ts';
import type { NamedHarvest } from './collections/harvest-run.ts';
import { HarvestRunner } from './collections/harvest-runner.ts';
import { HarvestRuns } from './collections/harvest-runs.ts';
import { PartlyApplied } from './deliveries/partly-applied.ts';
import { Removals } from './deliveries/removals.ts';
import { UploadBacklog } from './deliveries/upload-backlog.ts';
import { UploadProcessor } from './deliveries/upload-processor.ts';
import { StreamDumps } from './dumps/stream-dumps.ts';
import { followsDefault } from './follows-default.ts';
import { DueMessages } from './messages/upload-message.ts';
import type { Organization } from './organization.ts';
import { OrganizationRegistry } from './organization-registry.ts';
import { Overview } from './overview/overview.ts';
import { StreamRemovals } from './removal/stream-removals.ts';
import type { NamedRun } from './runs/activity-run.ts';
import { ActivityRunner } from './runs/activity-runner.ts';
import { ActivityRuns } from './runs/activity-runs.ts';
import { StreamReader } from './runs/stream-reader.ts';
import type { StreamName, StreamWithSet } from './stream-set-names.ts';
import { StreamSets } from './stream-sets.ts';

interface RecordsParts {
  readonly configuration: Configuration;
  readonly catalog: Catalog;
  readonly index: ResourceIndex;
  readonly sets: SetRegistry;
  readonly artifacts: ArtifactStore;
  readonly updater: EventPoster;
  readonly jobs: {
    /** Those that process uploads. */
    readonly uploads: {
      add(upload: NamedUpload): Promise<unknown>;
      cancel(upload: NamedUpload): Promise<unknown>;
      /** Differs after each heartbeat of the job. Undefined while no worker runs it. */
      progressOf(upload: NamedUpload): Promise<string | undefined>;
    };
    /** Those that make dumps of streams. */
    readonly streamDumps: { add(dump: StreamName & { readonly kind: 'full' }): Promise<unknown> };
    /** Those that run activities. */
    readonly runs: {
      nameOf(run: NamedRun): string;
      add(run: NamedRun): Promise<unknown>;
    };
    /** Those that harvest collections. */
    readonly harvests: {
      nameOf(run: NamedHarvest): string;
      add(run: NamedHarvest): Promise<unknown>;
    };
    /** Those of streams that are removed. */
    readonly removals: { cancelOf(name: StreamWithSet): Promise<void> };
  };
  /** Revokes the tokens that are for one organization alone. */
  revokeTokens(organization: string): Promise<void>;
  /** NSDL's folders, which are opened later. */
  around(): AroundRuns | undefined;
  readonly openRoot: RunParts['openRoot'];
  /** Version of the software. */
  readonly version: string;
  /** @throws TidemarkError `forbidden` for files that the server may not read for a request */
  requireAllowed(options: RunOptionsGiven): Promise<void>;
  /** Removes the packages of the dumps of a set, and has others made, if it has any. */
  replacePackages(set: ResourceSet): Promise<unknown>;
  /** Syncs a set with its source now. @param options with `rehash`, compares all of it */
  syncSet(set: ResourceSet, options?: { readonly rehash?: boolean }): Promise<unknown>;
}

/** Records that organizations deliver: their streams, uploads, runs of activities, and dumps. */
export interface Records extends ReturnType<typeof openRecords> {}

/** `closers` close everything that this opens. */
export function openRecords({ jobs, syncSet, ...parts }: RecordsParts, closers: Closers) {
  const { configuration, catalog, index, sets, artifacts, updater } = parts;
  const { store, artifacts: artifactLocation, dataFolder, failpoint } = configuration;
  const folder = join(dataFolder, 'spool');
  const threadData = { store, artifacts: artifactLocation, folder, failpoint };
  const streamSets = new StreamSets(sets);
  const organizations = new OrganizationRegistry(catalog, streamSets);
  const stored = { catalog, index, sets, artifacts, organizations, threadData };
  const removals = new Removals({
    ...stored,
    updater,
    replacePackages: parts.replacePackages,
    syncAnew: (set) => syncSet(set, { rehash: true }),
    async replaceDumps(name) {
      if ((await streamDumps.list(name)).length > 0) await jobs.streamDumps.add({ ...name, kind: 'full' });
    },
  });
  const uploadProcessor = new UploadProcessor({
    ...stored,
    updater,
    fetchRetryMs: configuration.uploadFetchRetryMs,
    removals,
    dropLimits: { stop: configuration.dropLimit, warn: configuration.dropWarning },
    fetch: async (upload, options) => {
      const { fetchUpload } = await import('./arrivals/fetch-url.ts');
      const { uploadNetworks: networks, uploadFetchSize: mostBytes } = configuration;
      return fetchUpload(upload, { ...options, artifacts, networks, mostBytes });
    },
  });
  closers.add(() => uploadProcessor.close());
  const boundaries = {
    ...stored,
    progressOf: (upload: NamedUpload) => jobs.uploads.progressOf(upload),
    async followsDefault(organization: Organization) {
      // Whether a server keeps it in sync or not.
      await syncSet(await sets.bySlug(organization.id));
      return followsDefault({ catalog, index, sets }, organization);
    },
  };
  const streamDumps = new StreamDumps(boundaries);
  const streamReader = new StreamReader({ ...boundaries, folder });
  const openStream: StreamReader['open'] = (from, signal) => streamReader.open(from, signal);
  const arrivals = { ...stored, onRecorded: (upload: NamedUpload) => jobs.uploads.add(upload) };
  const uploads = new Uploads(arrivals);
  const removing = { ...arrivals, cancel: (upload: NamedUpload) => jobs.uploads.cancel(upload) };
  const resumableUploads = new ResumableUploads(arrivals);
  const harvests = openHarvests({
    ...{ configuration, catalog, artifacts, organizations, uploads, resumableUploads, uploadProcessor, folder },
    around: parts.around,
    jobs: jobs.harvests,
  });
  return {
    organizations,
    overview: new Overview(stored),
    dueMessages: new DueMessages(stored),
    uploads,
    resumableUploads,
    /** Removes uploads, and has streams processed again. */
    readingAgain: {
      /** What a removal would delete. @throws as `planRemoval` */
      plan: (upload: Upload) => planRemoval(removing, upload),
      /** @throws as `removeUpload` */
      remove: (upload: Upload, request: RemovalRequest) => removeUpload(removing, upload, request),
      /** @throws as `processAgain` */
      processAgain: (stream: StreamName & Pick<RemovalRequest, 'by'>) => processAgain(removing, stream),
    },
    uploadProcessor,
    ...harvests,
    uploadBacklog: new UploadBacklog({ catalog }),
    runs: new ActivityRuns({ catalog, artifacts, jobs: jobs.runs }),
    activityRunner: new ActivityRunner({ ...parts, openStream, store: artifacts }),
    streamReader,
    partlyApplied: new PartlyApplied({ catalog }),
    streamDumps,
    streamRemovals: new StreamRemovals({
      ...{ ...stored, streamSets, resumableUploads, collections: harvests.collections },
      cancelJobs: jobs.removals.cancelOf,
      revokeTokens: parts.revokeTokens,
      storeAnew: async ({ id }) => syncSet(await sets.bySlug(id), { rehash: true }),
    }),
  };
}

interface HarvestsParts extends Pick<RecordsParts, 'configuration' | 'catalog' | 'artifacts' | 'around'> {
  readonly organizations: OrganizationRegistry;
  readonly uploads: Uploads;
  readonly resumableUploads: ResumableUploads;
  readonly uploadProcessor: UploadProcessor;
  readonly jobs: RecordsParts['jobs']['harvests'];
  readonly folder: string;
}

/** Collections, and their runs. */
function openHarvests({ configuration, jobs, ...parts }: HarvestsParts) {
  const {
    harvestNetworks: networks,
    harvestResponseSize: mostBytes,
    harvestRetries,
    jobLeaseMs: leaseMs,
  } = configuration;
  const openClient = (options: Partial<OaiClientOptions>) =>
    new OaiClient({ networks, mostBytes, attempts: 1 + harvestRetries, ...options });
  const collections = new CollectionRegistry({
    ...parts,
    async describe(asked, signal = new AbortController().signal) {
      const { describeRepository } = await import('./arrivals/oai-harvest/describe-repository.ts');
      const client = openClient({});
      try {
        return await describeRepository(client, asked, signal);
      } finally {
        await client.close();
      }
    },
  });
  const harvestMessages = new HarvestMessages({ ...parts, networks, nsdlUrl: configuration.nsdlMessage });
  return {
    collections,
    harvestRuns: new HarvestRuns({ ...parts, collections, jobs }),
    harvestRunner: new HarvestRunner({ ...parts, collections, messages: harvestMessages, openClient, leaseMs }),
    harvestMessages,
  };
}
