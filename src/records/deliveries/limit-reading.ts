import { TidemarkError } from '../../core/errors.ts';
import { formatBytes } from '../../lib/format-bytes.ts';

/** A limit of the processor time for reading an upload: `ms`, and `msOfMb` for each MB of its files, as they came. */
interface ReadingLimit {
  readonly ms: number;
  readonly msOfMb: number;
}

/** About twenty times what XML in gzip takes, which unpacks to 10 to 25 times its size. */
const READING_LIMIT: ReadingLimit = { ms: 60_000, msOfMb: 20_000 };
/** A harvest may also transform each record, and check it by a schema. */
export const HARVEST_READING_LIMIT: ReadingLimit = { ms: 300_000, msOfMb: 100_000 };
const CHECK_MS = 1_000;
const MB = 1e6;

interface LimitedThread {
  cpuMs(): Promise<number | undefined>;
  stop(reason: unknown): void;
}

/**
 * Until it is disposed, stops a thread that takes far more processor time than the bytes of an upload can need: all its
 * calls then fail with TidemarkError `invalid`.
 * @param bytes length of the files
 */
export function limitReading(
  thread: LimitedThread,
  bytes: number,
  { ms, msOfMb }: ReadingLimit = READING_LIMIT,
): Disposable {
  let before: number | undefined;
  const check = async () => {
    const now = await thread.cpuMs();
    before ??= now;
    if (now === undefined || timer === undefined || now - before! <= ms + (bytes / MB) * msOfMb) return;
    thread.stop(tooSlow(now - before!, bytes));
  };
  // A thread that has ended meanwhile needs no limit.
  let timer: NodeJS.Timeout | undefined = setInterval(() => check().catch(() => {}), CHECK_MS).unref();
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}

function tooSlow(ms: number, bytes: number): TidemarkError {
  return new TidemarkError(
    'invalid',
    `reading it was stopped after ${Math.round(ms / 1000)} s of processor time, which is far more than files of ` +
      `${formatBytes(bytes)} need: try parts of it with "tidemark uploads check", and report what takes so long`,
  );
}
