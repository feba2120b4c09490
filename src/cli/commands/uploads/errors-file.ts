import { inColumns } from '../../../records/errata/erratum.ts';
import { listedErratum } from '../../../records/forms/record-form.ts';
import { openOutputFile } from '../../output-file.ts';
import type { FileVisitor } from './check-files.ts';

/** Writes every error, warning, and file of unknown type as a line of JSON. @throws TidemarkError `invalid` */
export async function openErrorsFile(path: string): Promise<FileVisitor> {
  const output = await openOutputFile(path, 'w');
  const write = (value: object) => output.write(`${JSON.stringify(value)}\n`);
  return {
    async begin({ path, kind, reason }) {
      if (kind === 'unknown') await write({ path, reason });
    },
    async read(batch, { path }) {
      for (const item of batch) {
        const erratum = listedErratum(item);
        if (erratum !== undefined) await write(inColumns({ path, ...erratum }));
      }
    },
    async end() {},
    close: () => output.close(),
  };
}
