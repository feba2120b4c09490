import type { Stamp } from '../../core/stamp.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { IndexNames } from './index-names.ts';

/** The `_id` of the pointer in the index of ledgers. */
export const APPLIED = 'applied';

/** Up to which commit every one is applied. */
export interface Pointer {
  readonly commit: number;
  readonly uuid: string;
  readonly stamp: Stamp;
}

export async function readPointer(cluster: Cluster, names: IndexNames): Promise<Pointer | undefined> {
  const { body } = await cluster.ask<{ found: boolean; _source: Pointer }>({
    method: 'GET',
    path: `/${names.ledgers}/_doc/${APPLIED}`,
    expects: [404],
  });
  return body.found ? body._source : undefined;
}

/** Moves the pointer forwards; one that is further stays. */
export async function movePointer(
  cluster: Cluster,
  names: IndexNames,
  { commit, uuid, stamp }: Pointer,
): Promise<void> {
  await cluster.ask({
    method: 'PUT',
    path: `/${names.ledgers}/_doc/${APPLIED}`,
    query: { version: commit, version_type: 'external', require_alias: true },
    body: { doc_type: 'applied', commit, uuid, stamp },
    expects: [409],
  });
}
