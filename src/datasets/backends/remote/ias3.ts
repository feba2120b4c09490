import { IngestFailure } from '../../ingest-failure.ts';
import type { ArchiveKeys } from './archive-keys.ts';
import { MayPass, retryAfterMs, type Timing, withAttempts } from './attempts.ts';
import { type Service, type ServiceAnswer, serviceFailure, wordsOf } from './service.ts';

const PASSING = new Set([429, 500, 502, 503, 504]);

interface Ias3 {
  readonly service: Service;
  readonly keys: ArchiveKeys;
  readonly sending: Timing;
}

/** A file of an item. */
export interface SentFile {
  readonly item: string;
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Lower-case hexadecimal digits. */
  readonly md5: string;
  /** Bytes of the whole item: archive.org chooses a disk by it. */
  readonly totalSize: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Its bytes, from the beginning; called for each attempt. */
  read(): AsyncIterable<Uint8Array>;
}

/**
 * Sends a file into an item, and makes the item. A file of the same path is replaced, so it may be sent again when an
 * answer was lost. Nothing is derived from it: the item has what the dataset has.
 * @throws IngestFailure `error-backend`
 */
export async function sendFile(ias3: Ias3, file: SentFile, signal: AbortSignal): Promise<void> {
  const { service, keys, sending } = ias3;
  let isFirst = true;
  await withAttempts(
    async () => {
      if (!isFirst) await requireCapacity(ias3, file.item, signal);
      isFirst = false;
      const path = file.path.split('/').map(encodeURIComponent).join('/');
      const answer = await service.send(
        `${file.item}/${path}`,
        { method: 'PUT', headers: headersOf(file, keys), body: file.read() },
        signal,
      );
      if (answer.status === 200 || answer.status === 201) return;
      throw failureOf(ias3, file, answer);
    },
    { ...sending, signal },
  );
}

function headersOf({ size, md5, totalSize, headers }: SentFile, keys: ArchiveKeys) {
  return {
    ...headers,
    authorization: keys.authorization,
    'content-length': String(size),
    // In hexadecimal digits, as the client of archive.org sends it.
    'content-md5': md5,
    'x-archive-auto-make-bucket': '1',
    'x-archive-queue-derive': '0',
    'x-archive-size-hint': String(totalSize),
  };
}

/** Whether IAS3 would take another file now. @throws MayPass when it is overloaded */
async function requireCapacity({ service, keys }: Ias3, item: string, signal: AbortSignal): Promise<void> {
  const query = new URLSearchParams({ check_limit: '1', accesskey: keys.access, bucket: item });
  const { json } = await service.json(`?${query}`, signal, {});
  if (Object(json).over_limit === 0) return;
  throw new MayPass(serviceFailure(service, 'is overloaded, or has too many tasks of yours: try again later'));
}

function failureOf({ service, keys }: Ias3, { item, path }: SentFile, answer: ServiceAnswer): Error {
  const words = wordsOf(answer, keys);
  const problem = `did not take ${path} of the item ${item}: it ${words}`;
  if (answer.status === 403 || answer.status === 401) {
    const advice =
      'check the keys in the file of --dataset-archiveorg-keys, and that their account may change the item';
    return serviceFailure(service, `${problem}. ${advice[0]!.toUpperCase()}${advice.slice(1)}`);
  }
  if (answer.status >= 300 && answer.status < 400) {
    const to = URL.parse(String(answer.headers.location))?.host ?? 'another address';
    return serviceFailure(service, `redirects to ${to}; keys are not sent there: set ${service.setting} to it`);
  }
  if (/appears to be spam/i.test(answer.text)) {
    return new IngestFailure('error-backend', `archive.org takes ${path} of the item ${item} for spam: ask its staff`);
  }
  const failure = serviceFailure(service, `${problem}: try again later`);
  const isDamaged = answer.status === 400 && answer.text.includes('BadDigest');
  return PASSING.has(answer.status) || isDamaged ? new MayPass(failure, retryAfterMs(answer.headers)) : failure;
}
