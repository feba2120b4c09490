import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { TidemarkError } from '../../../core/errors.ts';
import { reasonOf } from '../../../lib/system-error.ts';
import type { FileVisitor } from './check-files.ts';

export interface ErrorsFile extends FileVisitor {
  close(): Promise<void>;
}

/** Writes every error as a line of JSON. @throws TidemarkError `invalid` when the file cannot be written */
export async function openErrorsFile(path: string): Promise<ErrorsFile> {
  const stream = createWriteStream(path);
  const fail = (error: unknown): never => {
    throw new TidemarkError('invalid', `${path} cannot be written: ${reasonOf(error)}`, { path }, error);
  };
  await once(stream, 'open').catch(fail);
  const done = finished(stream);
  // It is thrown where the file is written to, or closed.
  done.catch(() => {});
  const write = async (value: object) => {
    if (!stream.write(`${JSON.stringify(value)}\n`)) await Promise.race([once(stream, 'drain'), done]).catch(fail);
  };
  return {
    async begin({ path, kind, reason }) {
      if (kind === 'unknown') await write({ path, reason });
    },
    async read(batch, { path }) {
      for (const item of batch) {
        if (item.kind !== 'erratum') continue;
        const { ordinal, offset, id, reason } = item;
        await write({ path, ordinal, offset, id, reason });
      }
    },
    async end() {},
    async close() {
      stream.end();
      await done.catch(fail);
    },
  };
}
