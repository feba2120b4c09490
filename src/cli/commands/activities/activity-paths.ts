import { resolve } from 'node:path';
import { isS3 } from '../../../lib/s3/s3-location.ts';
import type { RunOptionsGiven } from '../../../records/activities/run-request.ts';
import { isTransformFile } from '../../../records/transforms/load-transform.ts';

type Named = Pick<RunOptionsGiven, 'from' | 'transform'>;

/** The files that a run names, as absolute paths: a job has another working directory. */
export function absolutePaths({ from, transform }: Named, folder: string): Named {
  const isPath = from !== undefined && from !== '-' && !isS3(from);
  return {
    ...(isPath && { from: resolve(folder, from) }),
    ...(transform !== undefined && isTransformFile(transform) && { transform: resolve(folder, transform) }),
  };
}
