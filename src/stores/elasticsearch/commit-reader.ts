import type { estypes } from '@elastic/elasticsearch';
import { TidemarkError } from '../../core/errors.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import { isMissingIndex, refusalError } from '../../lib/elasticsearch/faults.ts';
import type { CommitDocument, CommitPlace, CommitRecord } from './commit-record.ts';
import type { IndexNames } from './index-names.ts';
import { APPLIED, type Pointer } from './pointer.ts';

/** A commit as it is stored. */
type StoredCommit = Required<Pick<estypes.GetGetResult<CommitDocument>, '_source' | '_seq_no' | '_primary_term'>>;

/** A commit of another process, which may be on one copy only. */
export interface ReadCommit {
  readonly record: CommitRecord;
  readonly stored: StoredCommit;
}

/** Reads commits, each of which may be on one copy of its shard only. */
export class CommitReader {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;

  constructor(cluster: Cluster, names: IndexNames) {
    this.#cluster = cluster;
    this.#names = names;
  }

  /** Reads the pointer, and then a commit; undefined if they do not exist. */
  async read({
    number,
    segment,
  }: CommitPlace): Promise<{ pointer: Pointer | undefined; commit: StoredCommit | 'removed' | undefined }> {
    const { docs } = await this.#cluster.ask((client) =>
      client.mget<Pointer | CommitDocument>({
        docs: [
          { _index: this.#names.ledgers, _id: APPLIED },
          { _index: this.#names.logSegment(segment), _id: String(number) },
        ],
      }),
    );
    const pointer = found(this.#cluster, docs[0]!)?._source as Pointer | undefined;
    // The name of a removed segment is never used again: see log-segments.ts.
    if (isMissing(docs[1]!) && (pointer?.segment ?? 1) > segment) return { pointer, commit: 'removed' };
    return { pointer, commit: found(this.#cluster, docs[1]!) as StoredCommit | undefined };
  }

  /**
   * Writes a commit of another process over itself. A node that was cut off may show one that no other copy has: an
   * acknowledged write is on all of them. Those before it were on all copies when the commit was decided. Processes
   * that do so at the same time get 409, all but one.
   */
  async isOnAllCopies({ record: { number, segment }, stored }: ReadCommit): Promise<boolean> {
    const place = { index: this.#names.logSegment(segment), id: String(number), require_alias: true };
    const known = { if_seq_no: stored._seq_no, if_primary_term: stored._primary_term };
    try {
      const { statusCode } = await this.#cluster.ask((client) =>
        client.index({ ...place, ...known, document: stored._source }, { ignore: [409], meta: true }),
      );
      return statusCode !== 409;
    } catch (error) {
      // Its segment was removed since it was read.
      if (isMissingIndex(error)) return false;
      throw error;
    }
  }
}

/** Whether the pointer is at a commit: the process that moved it has applied that. */
export function isApplied({ number, uuid }: CommitRecord, pointer: Pointer | undefined): boolean {
  return pointer?.commit === number && pointer.uuid === uuid;
}

function isMissing(got: estypes.MgetResponseItem<unknown>): boolean {
  return 'error' in got && got.error.type === 'index_not_found_exception';
}

/** An item of `_mget`; undefined if there is no document. Each item may fail separately. */
function found<Source>(
  cluster: Cluster,
  got: estypes.MgetResponseItem<Source>,
): estypes.GetGetResult<Source> | undefined {
  if (!('error' in got)) return got.found ? got : undefined;
  if (isMissing(got)) throw refusalError(cluster, 404, got);
  throw new TidemarkError(
    'unavailable',
    `Elasticsearch at ${cluster.name} cannot read the log: ${JSON.stringify(got.error)}`,
    { type: got.error.type },
  );
}
