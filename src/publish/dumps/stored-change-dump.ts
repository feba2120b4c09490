import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { catalogId } from '../../sets/set-registry.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import type { ManifestPlace } from './stored-dump.ts';

/** A package of changes: an artifact that never changes. */
export interface ChangePackage {
  /** EPOCH-WINDOW-PART-CHANCE: the last by chance, so that what a killed process left is never in the way. */
  readonly name: string;
  /** It has every change between these boundaries. */
  readonly from: Stamp;
  readonly until: Stamp;
  /** When it was complete, in microseconds since 1970. */
  readonly completed: Stamp;
  readonly changes: number;
  /** Bytes. */
  readonly length: number;
  readonly sha256: string;
  readonly manifest: ManifestPlace;
}

/** What the catalog has of the Change Dump of a set. */
export interface StoredChangeDump {
  /** Of the set: after a move, its URIs are wrong. */
  readonly epoch: number;
  /** Each begins where the one before ends. */
  readonly packages: readonly ChangePackage[];
}

/** The name of the window that a package has changes of: EPOCH-WINDOW. */
export function windowOf({ name }: Pick<ChangePackage, 'name'>): string {
  return name.split('-', 2).join('-');
}

export function readChangeDump(
  catalog: Pick<Catalog, 'get'>,
  set: SetId,
): Promise<CatalogDocument<StoredChangeDump> | undefined> {
  return catalog.get<StoredChangeDump>('change-dump', catalogId(set));
}

/** @throws TidemarkError `conflict` when another process has changed it since it was read */
export function putChangeDump(
  catalog: Pick<Catalog, 'put'>,
  set: SetId,
  { body, replaces }: { readonly body: StoredChangeDump; readonly replaces: number | undefined },
): Promise<number> {
  return catalog.put('change-dump', catalogId(set), body, replaces);
}
