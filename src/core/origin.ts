/**
 * Where the resources of a set come from. From where a set was imported is a fact beside its origin: others may post to
 * it.
 */
export type Origin =
  /** From clients that may post. `urlPrefix` says where the bytes are. */
  | { readonly kind: 'posted' }
  /** The files of a folder of this machine: its absolute path. */
  | { readonly kind: 'folder'; readonly path: string }
  /** The objects of a bucket: `s3://bucket/prefix`, as lib/s3/s3-location.ts writes it. */
  | { readonly kind: 's3'; readonly location: string }
  /** The records of the newest artifact of a provider's activity; see artifacts/artifact-key.ts. */
  | ArtifactOrigin
  /** A set of another source of ResourceSync, which is copied, and published again: docs/republishing.md. */
  | ResourceSyncOrigin
  /** What an organization has delivered: docs/streams.md. */
  | StreamOrigin;

export interface ArtifactOrigin extends RecordsSource {
  readonly kind: 'artifact';
}

export interface ResourceSyncOrigin {
  readonly kind: 'resourcesync';
  /** As a person named the source, without a login. */
  readonly url: string;
  /** The URI of the set: that of its Capability List, or of its only list. */
  readonly set: string;
}

/** Of a stream of an organization: its records, the files as they were uploaded, or the dump files of its records. */
export interface StreamOrigin {
  readonly kind: StreamOriginKind;
  readonly organization: string;
  /** Absent: whichever is the default stream of the organization. */
  readonly stream?: string;
}

export type StreamOriginKind = 'stream' | 'uploads' | 'dump-files';

export interface RecordsSource {
  readonly provider: string;
  readonly activity: string;
}

/** What follows from the kind of an origin, for everything that shows a set or allows changes. */
export interface OriginTraits {
  /** What the set is synced with, as messages name it; undefined when others post to it. */
  readonly source?: string;
  /** What one of its resources is. */
  readonly entry: 'file' | 'record' | 'resource';
  /** The location of its files, as `--root` takes it. */
  readonly root?: string;
  /** Whose records it has, as `--records` takes it. */
  readonly records?: string;
  /** The other source that it copies, as `--from` takes it, and which set of it. */
  readonly from?: Pick<ResourceSyncOrigin, 'url' | 'set'>;
  /** Whose stream it publishes: such a set is made with its organization or stream, and exists as long as that. */
  readonly stream?: StreamOrigin;
  /** Why no Resource Dump is made of it, and what clients do instead. */
  readonly noDump?: string;
  /** Whether the source keeps every version of a resource by itself. */
  readonly keepsVersions?: true;
  /** The folder of this machine that has its files. */
  readonly folder?: string;
  /** The location on S3 that has its files. */
  readonly bucket?: string;
  /** Why no client may post to it, and what to do instead. */
  readonly refusal?: string;
}

export function traitsOf(origin: Origin): OriginTraits {
  switch (origin.kind) {
    case 'posted':
      return { entry: 'resource' };
    case 'folder':
      return { entry: 'file', source: origin.path, root: origin.path, folder: origin.path };
    case 's3':
      return { entry: 'file', source: origin.location, root: origin.location, bucket: origin.location };
    case 'artifact': {
      const { provider, activity } = origin;
      const records = formatRecordsSource(origin);
      const refusal = `its resources are the records of the newest artifact of ${records}; to change them, run "tidemark activity run ${activity} ${provider}"`;
      return { entry: 'record', source: records, records, keepsVersions: true, refusal };
    }
    case 'resourcesync': {
      const { url, set } = origin;
      const refusal = `its resources are copies of those of ${set}, and change with them`;
      return { entry: 'file', source: set, from: { url, set }, refusal };
    }
    case 'stream':
    case 'uploads':
    case 'dump-files':
      return streamTraits(origin);
  }
}

/** As people write it: `cdl/harvest`. */
export function formatRecordsSource({ provider, activity }: RecordsSource): string {
  return `${provider}/${activity}`;
}

const OF_STREAM: Readonly<Record<StreamOriginKind, string>> = {
  stream: 'records',
  uploads: 'uploads',
  'dump-files': 'dumps',
};

/** As people call it: `the records of lane/main`, or `the uploads of lane` for those of its default stream. */
export function formatStreamOrigin({ kind, organization, stream }: StreamOrigin): string {
  return `the ${OF_STREAM[kind]} of ${stream === undefined ? organization : `${organization}/${stream}`}`;
}

function streamTraits(origin: StreamOrigin): OriginTraits {
  const { kind, organization, stream } = origin;
  const source = formatStreamOrigin(origin);
  const way = `upload files with "tidemark upload ${organization} FILE${stream === undefined ? '' : ` --stream ${stream}`}"`;
  if (kind === 'stream') {
    const refusal = `it has ${source}; to change them, ${way}`;
    return { entry: 'record', source, stream: origin, keepsVersions: true, refusal };
  }
  const refusal = `it has ${source}, as they are${kind === 'uploads' ? `; to add some, ${way}` : ''}`;
  const noDump = 'its files are as large as packages, and clients fetch them one by one';
  return { entry: 'file', source, stream: origin, noDump, refusal };
}
