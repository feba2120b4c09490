import type { Stamp } from '../../core/stamp.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { IndexNames } from './index-names.ts';

/** The `_id` of the pointer in the index of ledgers. */
export const APPLIED = 'applied';

/** The commit up to which all commits are applied. */
export interface Pointer {
  readonly commit: number;
  readonly uuid: string;
  readonly stamp: Stamp;
  /** The log segment of the number after `commit`; absent in pointers of schema 6: the first one. */
  readonly segment?: number;
}

export async function readPointer(cluster: Cluster, names: IndexNames): Promise<Pointer | undefined> {
  const { _source } = await cluster.ask((client) =>
    client.get<Pointer>({ index: names.ledgers, id: APPLIED }, { ignore: [404] }),
  );
  return _source;
}

/** Moves the pointer forwards. Does nothing if it is further already. */
export async function movePointer(
  cluster: Cluster,
  names: IndexNames,
  { commit, uuid, stamp, segment }: Pointer,
): Promise<void> {
  const document = { doc_type: 'applied', commit, uuid, stamp, segment };
  await cluster.ask((client) =>
    client.index({ index: names.ledgers, id: APPLIED, document, ...externalVersion(commit) }, { ignore: [409] }),
  );
}

/** Options for a document whose version is the number of a commit: Elasticsearch rejects an older one with 409. */
export function externalVersion(commit: number) {
  return { version: commit, version_type: 'external', require_alias: true } as const;
}
