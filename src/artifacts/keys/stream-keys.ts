import { SLUG } from '../../core/resource-set.ts';
import type { ObjectKey } from '../artifact-store.ts';

/** Keys of what is made from the uploads of a stream. */
export type StreamKey = UploadReadingKey | StreamDumpKey;

/** The result of reading an upload: its records as an Avro file of StreamRecords, and its errors as NDJSON. */
export interface UploadReadingKey {
  readonly kind: 'stream-records' | 'upload-errata';
  readonly organization: string;
  readonly stream: string;
  /** The number of the upload. */
  readonly number: number;
  /** Random, 32 hexadecimal digits: several attempts may run at a time, and one of them counts. */
  readonly id: string;
}

/** A dump file of the records of a stream, or of the organization's default stream. */
interface StreamDumpKey {
  readonly kind: 'stream-dump';
  readonly organization: string;
  /** Undefined for the default stream. */
  readonly stream: string | undefined;
  /** Random, 32 hexadecimal digits. The catalog lists what the file contains. */
  readonly id: string;
}

/** The folder of results of reading uploads. Each organization has a folder in it. */
export const STREAMS_FOLDER = '_streams/';
export const STREAM_DUMPS_FOLDER = '_stream-dumps/';
const READING = /^_streams\/([^/]+)\/([^/]+)\/(\d{9})\/([0-9a-f]{32})\.(avro|errata)$/;
const DUMP = /^_stream-dumps\/([^/]+)\/(?:streams\/([^/]+)\/)?([0-9a-f]{32})$/;
const DIGITS = 9;

export function formatStreamKey(key: StreamKey): ObjectKey {
  if (key.kind === 'stream-dump') {
    // _stream-dumps/lane/0f1e2d3c4b5a69788796a5b4c3d2e1f0, _stream-dumps/lane/streams/main/0f1e…
    const stream = key.stream === undefined ? '' : `streams/${key.stream}/`;
    return `${STREAM_DUMPS_FOLDER}${key.organization}/${stream}${key.id}`;
  }
  // _streams/lane/main/000000017/0f1e2d3c4b5a69788796a5b4c3d2e1f0.avro
  const number = String(key.number).padStart(DIGITS, '0');
  const ending = key.kind === 'stream-records' ? 'avro' : 'errata';
  return `${STREAMS_FOLDER}${key.organization}/${key.stream}/${number}/${key.id}.${ending}`;
}

interface OfStream {
  readonly organization: string;
  readonly stream: string;
}

/** The folder of what was read of the uploads of a stream. */
export const readingsOf = ({ organization, stream }: OfStream): ObjectKey =>
  `${STREAMS_FOLDER}${organization}/${stream}/`;

/** The folder of the files of the dumps of a stream. */
export const dumpFilesOf = ({ organization, stream }: OfStream): ObjectKey =>
  `${STREAM_DUMPS_FOLDER}${organization}/streams/${stream}/`;

export function parseStreamKey(text: ObjectKey): StreamKey | undefined {
  const [, organization = '', stream = '', number = '', id = '', ending] = READING.exec(text) ?? [];
  if (SLUG.test(organization) && SLUG.test(stream)) {
    const kind = ending === 'avro' ? 'stream-records' : 'upload-errata';
    return { kind, organization, stream, number: Number(number), id };
  }
  const [, owner = '', ofStream, dump = ''] = DUMP.exec(text) ?? [];
  if (!SLUG.test(owner) || (ofStream !== undefined && !SLUG.test(ofStream))) return undefined;
  return { kind: 'stream-dump', organization: owner, stream: ofStream, id: dump };
}
