import type { Origin, ProviderActivity } from './origin.ts';
import type { ResourceSet } from './resource-set.ts';

/**
 * A set as stored in the catalog and in archives. The first kinds of origins have separate fields, a location of files
 * or a source of records, or none; later kinds are stored unchanged.
 */
export interface StoredSet extends Omit<ResourceSet, 'origin'> {
  /** The absolute path of a folder, or `s3://bucket/prefix`. */
  readonly root?: string;
  readonly records?: ProviderActivity;
  readonly origin?: Origin;
}

export function toStoredSet({ origin, ...set }: ResourceSet): StoredSet {
  return { ...set, ...storedOrigin(origin) };
}

export function fromStoredSet({ root, records, origin = originOf(root, records), ...set }: StoredSet): ResourceSet {
  return { ...set, origin };
}

/** The origin of files: a bucket if the text begins with `s3://`, otherwise a folder. */
export function originOfRoot(root: string): Origin {
  return /^s3:\/\//i.test(root) ? { kind: 's3', location: root } : { kind: 'folder', path: root };
}

function originOf(root: string | undefined, records: ProviderActivity | undefined): Origin {
  if (records !== undefined) return { kind: 'artifact', ...records };
  return root === undefined ? { kind: 'posted' } : originOfRoot(root);
}

function storedOrigin(origin: Origin): Pick<StoredSet, 'root' | 'records' | 'origin'> {
  switch (origin.kind) {
    case 'posted':
      return {};
    case 'folder':
      return { root: origin.path };
    case 's3':
      return { root: origin.location };
    case 'artifact':
      return { records: { provider: origin.provider, activity: origin.activity } };
    default:
      return { origin };
  }
}
