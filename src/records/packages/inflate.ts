import { createInflateRaw } from 'node:zlib';
import { errorCode } from '../../lib/system-error.ts';
import { DamagedFile } from './found-file.ts';
import type { Lookahead } from './lookahead.ts';

/** Packed bytes of one step. All that they unpack to is in memory, up to a thousand times as much. */
const STEP_BYTES = { least: 1024, most: 64 * 1024 } as const;
/** Unpacked bytes of a step above which the next step is shorter. */
const MUCH_UNPACKED = 512 * 1024;
const CHUNK_BYTES = 64 * 1024;

/**
 * Unpacks Deflate (RFC 1951). Afterwards, `input` continues behind it.
 *
 * It works in steps, because a failing stream of Node drops what it has unpacked but not yet returned: the last records
 * before the damage.
 * @throws DamagedFile after the bytes before the damage
 */
export async function* inflate(input: Lookahead): AsyncGenerator<Buffer, void, undefined> {
  const inflater = createInflateRaw({ chunkSize: CHUNK_BYTES });
  let unpacked: Buffer[] = [];
  let failure: Error | undefined;
  let isEnded = false;
  const stopped = new Promise<void>((resolve) => {
    inflater.on('end', () => {
      isEnded = true;
      resolve();
    });
    inflater.on('error', (error) => {
      failure = error;
      resolve();
    });
  });
  inflater.on('data', (chunk: Buffer) => unpacked.push(chunk));
  try {
    for (let step: number = STEP_BYTES.least; !isEnded; ) {
      const packed = await input.peek(step);
      const before = inflater.bytesWritten;
      if (packed.length === 0) {
        inflater.end();
        await stopped;
      } else {
        // The callback is not called when the Deflate data end within these bytes.
        await Promise.race([new Promise<void>((resolve) => inflater.write(packed, () => resolve())), stopped]);
      }
      await input.skip(inflater.bytesWritten - before);
      const bytes = unpacked.reduce((sum, { length }) => sum + length, 0);
      step = bytes > MUCH_UNPACKED ? Math.max(step / 2, STEP_BYTES.least) : Math.min(step * 2, STEP_BYTES.most);
      yield* unpacked;
      unpacked = [];
      if (failure !== undefined) throw damageOf(failure, input);
    }
  } finally {
    inflater.destroy();
  }
}

export function endsEarly({ position }: Lookahead): DamagedFile {
  return new DamagedFile(`it breaks off: it ends early, at byte ${position} of what is packed`);
}

function damageOf(failure: Error, input: Lookahead): Error {
  const code = errorCode(failure) ?? '';
  if (!code.startsWith('Z_')) return failure;
  if (code === 'Z_BUF_ERROR') return input.damage ?? endsEarly(input);
  return new DamagedFile(`it is damaged near byte ${input.position} of what is packed (${failure.message})`);
}
