import type { Stamp } from '../../core/stamp.ts';
import type { ObjectKey } from '../artifact-store.ts';

/** Keys of an archive of the log: it consists of segments, and a segment of parts. */
export type LogKey = SegmentKey | SegmentPartKey;

/** The document that marks a segment as complete. */
interface SegmentKey {
  readonly kind: 'segment';
  /** The id of the archive. */
  readonly chain: string;
  readonly number: number;
}

/** A file of a segment. */
interface SegmentPartKey extends Omit<SegmentKey, 'kind'> {
  readonly kind: 'segment-part';
  readonly part: ArchivePart;
  /** The boundaries before its first and after its last change, in microseconds since 1970. */
  readonly after: Stamp;
  readonly through: Stamp;
  /** Random, so that the file of a killed process never blocks a new one. */
  readonly chance: string;
}

/** The parts of an archive. Each has its own folder. */
export const ARCHIVE_PARTS = ['changes', 'orders', 'documents', 'positions'] as const;
export type ArchivePart = (typeof ARCHIVE_PARTS)[number];

/** The folder of all archives. No provider has this name. */
export const ARCHIVE_FOLDER = '_log/';
const CHAIN_ID = /^\d{8}_\d{6}-[0-9a-f]{8}$/;
const SEGMENT = /^_log\/([^/]+)\/segments\/(\d{10})\.json$/;
const SEGMENT_PART = /^_log\/([^/]+)\/([a-z]+)\/(\d{10})-(\d+)-(\d+)-([0-9a-f]+)\.avro$/;

export function isChainId(text: string): boolean {
  return CHAIN_ID.test(text);
}

/** The folder of the segments of an archive. */
export function segmentsFolder(chain: string): string {
  return `${ARCHIVE_FOLDER}${chain}/segments/`;
}

export function formatLogKey(key: LogKey): ObjectKey {
  switch (key.kind) {
    case 'segment':
      // _log/CHAIN/segments/0000000017.json
      return `${segmentsFolder(key.chain)}${numbered(key.number)}.json`;
    case 'segment-part': {
      // _log/CHAIN/changes/0000000017-1763765435123457-1763765999000001-1f2e3d4c.avro
      const { chain, part, number, after, through, chance } = key;
      return `${ARCHIVE_FOLDER}${chain}/${part}/${numbered(number)}-${after}-${through}-${chance}.avro`;
    }
  }
}

export function parseLogKey(text: ObjectKey): LogKey | undefined {
  const [, marked = '', digits] = SEGMENT.exec(text) ?? [];
  if (isChainId(marked)) return { kind: 'segment', chain: marked, number: Number(digits) };
  const [, chain = '', folder, number, after, through, chance = ''] = SEGMENT_PART.exec(text) ?? [];
  const part = ARCHIVE_PARTS.find((one) => one === folder);
  if (part === undefined || !isChainId(chain)) return undefined;
  const boundaries = { after: Number(after), through: Number(through) };
  return { kind: 'segment-part', chain, part, number: Number(number), ...boundaries, chance };
}

function numbered(number: number): string {
  return String(number).padStart(10, '0');
}
