import { Bits } from '../../../lib/bits.ts';
import type { Reader } from '../../read/source-reader.ts';
import { type ListRead, readResourceList } from '../lists/read-resource-list.ts';
import { agrees, encodeAbout, type WantedResource, wantedOf } from '../lists/wanted-resource.ts';
import { commonPrefix } from '../names/resource-path.ts';
import { KnownByUri } from '../state/known-by-uri.ts';
import type { ComparedResource } from '../state/known-resource.ts';
import type { MirrorState } from '../state/mirror-state.ts';
import type { WantedTable } from '../state/wanted-table.ts';

export interface Compared extends ListRead {
  /** Number of resources in the list. */
  readonly listed: number;
  /** Number of its entries that name no resource. */
  readonly ignored: number;
  /** The common prefix of all URIs. */
  readonly prefix: string;
}

const READ_AT_ONCE = 1_000;

/**
 * Compares the copy with a Resource List, and puts each difference and each resource to delete into the table. It
 * changes nothing in the copy. Memory grows by one bit for each resource.
 * @param lists that together have the resources
 * @throws DocumentFailure when the list could not be read completely
 */
export async function compareWithList(
  reader: Reader,
  lists: readonly string[],
  { state, wanted }: { readonly state: MirrorState; readonly wanted: WantedTable },
  onProgress: (listed: number) => void,
): Promise<Compared> {
  let listed = 0;
  let ignored = 0;
  let prefix: string | undefined;
  let seen = new Bits();
  const resources = new KnownByUri(state);
  let isEmpty = false;
  const read = await readResourceList(reader, lists, {
    capability: 'resourcelist',
    onStart() {
      listed = 0;
      ignored = 0;
      prefix = undefined;
      const largestId = state.largestId();
      isEmpty = largestId === 0;
      seen = new Bits(largestId);
      wanted.clear();
    },
    onEntry(entry) {
      const resource = wantedOf(entry, false);
      if (resource.uri === '') {
        ignored += 1;
        return;
      }
      listed += 1;
      if (listed % READ_AT_ONCE === 0) onProgress(listed);
      prefix = commonPrefix(prefix, resource.uri);
      const known = isEmpty ? undefined : resources.get(resource.uri);
      // Of several entries of a resource, the last one counts.
      const isRepeated = known !== undefined && seen.has(known.id);
      if (known !== undefined) seen.add(known.id);
      if (isRepeated || known === undefined || !isEqual(known, resource)) wanted.put(resource);
    },
  });
  for (const uri of unseen(state, seen)) wanted.put({ ...NOTHING, uri });
  return { ...read, listed, ignored, prefix: prefix ?? '' };
}

/** The state of a resource that does not exist. */
export const NOTHING = { isDeleted: true, length: undefined, hashes: {}, lastmod: undefined, stamp: undefined };

function isEqual({ copied, about }: ComparedResource, wanted: WantedResource): boolean {
  return copied !== undefined && agrees(copied, wanted) === true && about === encodeAbout(wanted.about);
}

function* unseen(state: MirrorState, seen: Bits): Generator<string> {
  if (seen.size === state.named()) return;
  for (let after = 0; ; ) {
    const resources = state.resources(after, READ_AT_ONCE);
    for (const { id, uri } of resources) {
      after = id;
      if (!seen.has(id)) yield uri;
    }
    if (resources.length < READ_AT_ONCE) return;
  }
}
