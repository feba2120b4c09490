import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { RecordPlace, ResourceState } from '../../core/resource.ts';

/** The place of a record of a stream, and its expected digest. */
export interface PlacedRecord extends RecordPlace {
  readonly key: ResourceKey;
  /** The SHA-256 of its document, hexadecimal. */
  readonly digest: string;
}

// Added to numbers so that all have the same count of digits.
const ARTIFACTS = 10_000_000;
const OFFSETS = 1_000_000_000_000_000;
const POSITIONS = 1_000_000_000;
const OFFSET_AT = 8;
const POSITION_AT = OFFSET_AT + 16;
const DIGEST_AT = POSITION_AT + 10;
const LENGTH_AT = DIGEST_AT + 64;

/**
 * Represents records as ASCII rows that sort by place: so the records of a block are adjacent, and each block is read
 * once. Artifacts are numbered in the order of their first occurrence; there are as many as uploads.
 */
export class PlacedRows {
  readonly #numbers = new Map<ObjectKey, number>();
  readonly #artifacts: ObjectKey[] = [];

  /** @throws TidemarkError `unavailable` for a state without the place of a record */
  rowOf(key: ResourceKey, { record, hashes }: Pick<ResourceState, 'record' | 'hashes'>): string {
    const digest = hashes?.['sha-256'];
    if (record === undefined || digest === undefined) throw notPlaced(key);
    const { artifact, offset, length, position } = record;
    return `${ARTIFACTS + this.#numberOf(artifact)}${OFFSETS + offset}${POSITIONS + position}${digest}${length} ${key}`;
  }

  recordOf(row: string): PlacedRecord {
    const space = row.indexOf(' ', LENGTH_AT);
    return {
      artifact: this.#artifacts[Number(row.slice(0, OFFSET_AT)) - ARTIFACTS]!,
      offset: Number(row.slice(OFFSET_AT, POSITION_AT)) - OFFSETS,
      position: Number(row.slice(POSITION_AT, DIGEST_AT)) - POSITIONS,
      digest: row.slice(DIGEST_AT, LENGTH_AT),
      length: Number(row.slice(LENGTH_AT, space)),
      key: row.slice(space + 1),
    };
  }

  #numberOf(artifact: ObjectKey): number {
    const known = this.#numbers.get(artifact);
    if (known !== undefined) return known;
    const number = this.#artifacts.push(artifact) - 1;
    this.#numbers.set(artifact, number);
    return number;
  }
}

export function digestOfRow(row: string): string {
  return row.slice(DIGEST_AT, LENGTH_AT);
}

export function keyOfRow(row: string): ResourceKey {
  return row.slice(row.indexOf(' ', LENGTH_AT) + 1);
}

function notPlaced(key: ResourceKey): TidemarkError {
  const message = `the resource ${key.slice(0, 100)} is not a record of an upload, so that no dump can have it`;
  return new TidemarkError('unavailable', message, { key });
}
