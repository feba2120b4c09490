/**
 * Where the resources of a set come from. The index from which a set was imported is a separate fact: clients may post
 * to an imported set.
 */
export type Origin =
  /** Posted by clients. `urlPrefix` says where the bytes are. */
  | { readonly kind: 'posted' }
  /** The files of a local folder: its absolute path. */
  | { readonly kind: 'folder'; readonly path: string }
  /** The objects of a bucket: `s3://bucket/prefix`, as lib/s3/s3-location.ts writes it. */
  | { readonly kind: 's3'; readonly location: string }
  /** The records of the newest artifact of a provider's activity; see artifacts/artifact-key.ts. */
  | ArtifactOrigin
  /** A copied and republished set of another ResourceSync source: docs/mirror.md. */
  | ResourceSyncOrigin
  /** The files that an organization has delivered: docs/streams.md. */
  | StreamOrigin
  /** The files of datasets that were ingested into it: docs/datasets.md. */
  | { readonly kind: 'datasets' };

export interface ArtifactOrigin extends ProviderActivity {
  readonly kind: 'artifact';
}

interface ResourceSyncOrigin {
  readonly kind: 'resourcesync';
  /** The URL that the user gave, without a login. */
  readonly url: string;
  /** The URI of the set: that of its Capability List, or of its only list. */
  readonly set: string;
}

/** A set of a stream of an organization: its records, the uploaded files, or the dump files of its records. */
export interface StreamOrigin {
  readonly kind: StreamOriginKind;
  readonly organization: string;
  /** Absent: the organization's default stream. */
  readonly stream?: string;
  /** The collection whose harvests fill the stream, if it is that of one. */
  readonly collection?: string;
  /** Of dump files: the only kind of files with records, such as `marcxml`; absent for all files of all dumps. */
  readonly form?: string;
}

export type StreamOriginKind = 'stream' | 'uploads' | 'dump-files';

export interface ProviderActivity {
  readonly provider: string;
  readonly activity: string;
}

/** The option of `sets add` that names a source. Sets of other kinds have none, or are made with a stream. */
const OPTIONS = {
  folder: '--root',
  s3: '--root',
  artifact: '--records',
  resourcesync: '--from',
} as const satisfies Readonly<Record<Exclude<Origin['kind'], 'posted' | 'datasets' | StreamOriginKind>, string>>;

/** The options that name a source with bytes, for messages. */
export const SOURCE_OPTIONS = alternatives([...new Set(Object.values(OPTIONS))]);

/** What commands, the API and pages need to know of an origin: what they show, and which changes they allow. */
export interface OriginTraits {
  /** The source with which the set is synced, for messages; undefined when clients post to it. */
  readonly source?: string;
  /** What pages show of the source; present with it. */
  readonly shown?: ShownSource;
  /** The option that names the source. */
  readonly option?: string;
  /** The kind of its resources. */
  readonly entry: 'file' | 'record' | 'resource';
  /** The location of its files, as `--root` takes it. */
  readonly root?: string;
  /** The source of its records, as `--records` takes it. */
  readonly records?: string;
  /** The source and set that it copies, as `--from` takes it. */
  readonly from?: Pick<ResourceSyncOrigin, 'url' | 'set'>;
  /** The stream that it publishes. Such a set is created and removed with its organization or stream. */
  readonly stream?: StreamOrigin;
  /** Why it has no Resource Dump, and what clients can use instead. */
  readonly reasonForNoDump?: string;
  /** Why no versions of its resources can be kept, though their bytes are at hand. */
  readonly reasonForNoVersions?: string;
  /** Whether the source itself keeps every version of a resource. */
  readonly keepsVersions?: true;
  /** The local folder with its files. */
  readonly folder?: string;
  /** The location on S3 with its files. */
  readonly bucket?: string;
  /** Why clients may not post to it, and what to do instead. */
  readonly reasonForNoPosting?: string;
}

interface ShownSource {
  /** What administrators read before the source. */
  readonly name: string;
  /** What is said of the set below its title: a text, and perhaps a name that follows it. */
  readonly subtitle?: { readonly text: string; readonly name?: string };
  /** The location into which an administrator puts resources. */
  readonly place?: string;
  /** The changes of the set, as the beginning of a sentence. */
  readonly changes: string;
}

export function traitsOf(origin: Origin): OriginTraits {
  return origin.kind === 'posted' ? { entry: 'resource' } : sourceTraits(origin);
}

type SourceTraits = OriginTraits & Required<Pick<OriginTraits, 'source' | 'shown'>>;

function sourceTraits(origin: Exclude<Origin, { readonly kind: 'posted' }>): SourceTraits {
  switch (origin.kind) {
    case 'folder':
      return { ...rootTraits(origin.path), folder: origin.path };
    case 's3':
      return { ...rootTraits(origin.location), bucket: origin.location };
    case 'artifact': {
      const { provider, activity } = origin;
      const records = formatProviderActivity(origin);
      const reasonForNoPosting = `its resources are the records of the newest artifact of ${records}; to change them, run "tidemark activity run ${activity} ${provider}"`;
      const shown = {
        name: 'Records',
        subtitle: { text: 'records of', name: records },
        place: records,
        changes: 'What differs in a newer artifact is',
      };
      const option = OPTIONS.artifact;
      return { entry: 'record', source: records, shown, option, records, keepsVersions: true, reasonForNoPosting };
    }
    case 'resourcesync': {
      const { url, set } = origin;
      const reasonForNoPosting = `its resources are copies of those of ${set}, and change with them`;
      const shown = {
        name: 'Copy of',
        subtitle: { text: 'a copy of', name: set },
        changes: 'What changes at the source that it copies is',
      };
      return {
        entry: 'file',
        source: set,
        shown,
        option: OPTIONS.resourcesync,
        from: { url, set },
        reasonForNoPosting,
      };
    }
    case 'stream':
    case 'uploads':
    case 'dump-files':
      return streamTraits(origin);
    case 'datasets': {
      const source = 'ingested datasets';
      const shown = { name: 'Has', subtitle: { text: source }, changes: 'What is ingested is' };
      const reasonForNoVersions = 'none of its files ever changes';
      const reasonForNoPosting = 'it has the files of ingested datasets; to add one, run "tidemark datasets add URL"';
      return { entry: 'file', source, shown, reasonForNoVersions, reasonForNoPosting };
    }
  }
}

function rootTraits(root: string): SourceTraits {
  const shown = { name: 'Root', place: root, changes: 'Files that are added, edited or removed are' };
  return { entry: 'file', source: root, shown, option: OPTIONS.folder, root };
}

/** The form for people: `cdl/harvest`. */
export function formatProviderActivity({ provider, activity }: ProviderActivity): string {
  return `${provider}/${activity}`;
}

const OF_STREAM: Readonly<Record<StreamOriginKind, string>> = {
  stream: 'records',
  uploads: 'uploads',
  'dump-files': 'dumps',
};

/** The form for people: `the records of lane/main`, or `the uploads of lane` for the default stream. */
function formatStreamOrigin({ kind, organization, stream, collection, form }: StreamOrigin): string {
  const what = kind === 'uploads' && collection !== undefined ? 'harvests' : OF_STREAM[kind];
  const of = `the ${what} of ${stream === undefined ? organization : `${organization}/${stream}`}`;
  return form === undefined ? of : `${of} as ${form}`;
}

function streamTraits(origin: StreamOrigin): SourceTraits {
  const { kind, organization, stream, collection } = origin;
  const source = formatStreamOrigin(origin);
  const shown = { name: 'Has', subtitle: { text: source }, changes: `What changes of ${source} is` };
  const options = stream === undefined ? '' : ` --stream ${stream}`;
  const way =
    collection === undefined
      ? `upload files with "tidemark upload ${organization} FILE${options}"`
      : `harvest it with "tidemark harvest ${collection}"`;
  if (kind === 'stream') {
    const reasonForNoPosting = `it has ${source}; to change them, ${way}`;
    return { entry: 'record', source, shown, stream: origin, keepsVersions: true, reasonForNoPosting };
  }
  const reasonForNoPosting = `it has ${source}, as they are${kind === 'uploads' ? `; to add some, ${way}` : ''}`;
  const reasonForNoDump = 'its files are as large as packages, and clients fetch them one by one';
  const reasonForNoVersions = 'none of its files ever changes';
  return { entry: 'file', source, shown, stream: origin, reasonForNoDump, reasonForNoVersions, reasonForNoPosting };
}

function alternatives(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
