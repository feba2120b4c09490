import { TidemarkError } from '../../core/errors.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import { type NamedUpload, parseUploadId, uploadsOf } from '../arrivals/upload.ts';
import { isPartlyApplied, type UploadState } from '../arrivals/upload-state.ts';
import type { Organization } from '../organization.ts';
import { type StreamName, streamText } from '../stream-set-names.ts';

export interface BoundaryParts {
  readonly catalog: Pick<Catalog, 'get' | 'put' | 'latest' | 'list' | 'head'>;
  readonly index: Pick<ChangeLog, 'mark'>;
  /** Progress token of the upload: differs after each heartbeat. Undefined while no worker runs it. */
  progressOf(upload: NamedUpload): Promise<string | undefined>;
  /** Whether the set of the default stream has everything that its stream has now. */
  followsDefault(organization: Organization): Promise<boolean>;
}

/** A boundary of the log with only whole uploads below it. */
export interface DumpBoundary {
  readonly until: Stamp;
  /** The uploads of the stream that were applied below the boundary, in no order. */
  readonly uploads: readonly AppliedBelow[];
}

interface AppliedBelow {
  readonly number: number;
  /** At or above the boundary of every dump that does not contain the upload. */
  readonly errataAt: Stamp;
  /** Number of its errors and warnings. */
  readonly erratumCount: number;
  /** The artifact with its errata. */
  readonly errata?: string | undefined;
}

/** Why no boundary can be made at present. */
export interface NoBoundary {
  /** A message for users. */
  readonly reason: string;
  /** The stream whose uploads have to pause. */
  readonly stream: string;
  /** The upload that is being applied. */
  readonly upload?: NamedUpload;
}

/** Number of upload states that are read at a time. */
const PAGE = 200;

/** Finds an upload of the stream that is being applied. Otherwise, returns the stream. */
export async function findApplying(
  name: StreamName,
  { catalog }: Pick<BoundaryParts, 'catalog'>,
): Promise<{ readonly stream: string } | NoBoundary> {
  const stream = name.stream ?? (await readOrganization(name, catalog)).body.defaultStream;
  const states = await readStates({ ...name, stream }, catalog);
  return applyingOf(states) ?? { stream: stream ?? '' };
}

/**
 * Makes a boundary, unless an upload of the stream is being applied. An upload is whole when it was applied before the
 * boundary was made, or started after that. An upload that started and ended in between is found by its state, which
 * was put since.
 */
export async function tryBoundary(
  name: StreamName,
  { catalog, index, followsDefault }: BoundaryParts,
): Promise<DumpBoundary | NoBoundary> {
  const organization = await readOrganization(name, catalog);
  const stream = { ...name, stream: name.stream ?? organization.body.defaultStream };
  const head = await catalog.head('upload-state');
  const before = await readStates(stream, catalog);
  const applying = applyingOf(before);
  if (applying !== undefined) return applying;
  if (name.stream === undefined && !(await followsDefault(organization.body))) return waitsForSync(name, stream.stream);
  const until = await index.mark();
  const applied = new Set(before.filter(({ body }) => body.applied !== undefined).map(({ id }) => id));
  const since = await catalog.list<UploadState>('upload-state', head);
  const crossing = since.find(({ id, body }) => isOf(stream, id) && !applied.has(id) && isBelow(body, until));
  if (crossing !== undefined) return waitsForUpload(crossing.id);
  if (name.stream === undefined) {
    const after = await readOrganization(name, catalog);
    if (after.body.defaultStream !== stream.stream) return waitsForSync(name, stream.stream);
  }
  return { until, uploads: before.flatMap((state) => appliedBelow(state, until)) };
}

async function readOrganization({ organization }: StreamName, catalog: BoundaryParts['catalog']) {
  const found = await catalog.get<Organization>('organization', organization);
  if (found !== undefined) return found;
  throw new TidemarkError('not-found', `there is no organization ${JSON.stringify(organization)}`, { organization });
}

/** The states of all uploads of a stream; none when there is no stream yet. */
async function readStates(
  { organization, stream }: StreamName,
  catalog: BoundaryParts['catalog'],
): Promise<readonly CatalogDocument<UploadState>[]> {
  if (stream === undefined) return [];
  const states: CatalogDocument<UploadState>[] = [];
  const wanted = { kind: 'upload-state', prefix: uploadsOf(organization, stream), limit: PAGE } as const;
  for await (const { documents } of latestPages<UploadState>(catalog, wanted)) {
    states.push(...documents.map(({ id, version, body }) => ({ id, version, body: withoutFiles(body) })));
  }
  return states;
}

/** Removes what is not needed of a state: thousands of them are in memory. */
function withoutFiles({ applying, applied, errataAt, read, removed }: UploadState): UploadState {
  return {
    ...(applying && { applying }),
    ...(applied && { applied }),
    ...(errataAt !== undefined && { errataAt }),
    ...(read && { read: { ...read, files: [] } }),
    ...(removed && { removed }),
  };
}

function applyingOf(states: readonly CatalogDocument<UploadState>[]): NoBoundary | undefined {
  const applying = states.find(({ body }) => isPartlyApplied(body));
  return applying && waitsForUpload(applying.id);
}

function isBelow({ applying }: UploadState, until: Stamp): boolean {
  return applying !== undefined && applying.after < until;
}

function isOf({ organization, stream }: StreamName, id: string): boolean {
  return stream !== undefined && id.startsWith(uploadsOf(organization, stream));
}

function appliedBelow({ id, body }: CatalogDocument<UploadState>, until: Stamp): readonly AppliedBelow[] {
  if (body.applied === undefined || body.removed !== undefined) return [];
  const { errataAt = body.applying!.after } = body;
  if (errataAt >= until) return [];
  const { totals, errata } = body.read ?? {};
  return [
    {
      number: Number(id.slice(id.lastIndexOf('/') + 1)),
      errataAt,
      erratumCount: (totals?.errors ?? 0) + (totals?.warnings ?? 0),
      errata,
    },
  ];
}

function waitsForUpload(id: string): NoBoundary {
  const upload = parseUploadId(id);
  const reason = `the upload ${id} is being applied: a dump is made when all of it is`;
  return { reason, stream: upload.stream, upload };
}

function waitsForSync(name: StreamName, stream = ''): NoBoundary {
  const set = streamText(name);
  const reason = `the set ${set} does not have all records of its default stream yet: a dump is made when it has`;
  return { reason, stream };
}
