import { resolve } from 'node:path';
import { isS3 } from '../../../lib/s3/s3-location.ts';
import type { RunOptionsGiven } from '../../../records/activities/run-request.ts';
import { isStreamInput } from '../../../records/activities/stream-input.ts';
import { isTransformFile } from '../../../records/transforms/load-transform.ts';

type Given = Omit<RunOptionsGiven, 'started'>;

/** The options of a command line that say what a run does, with absolute paths: a job has another working directory. */
export function givenOptions(options: Given, folder: string): Given {
  const { from, source, input, plan, transform, writePlan, acceptDrop } = options;
  const isPath = from !== undefined && from !== '-' && !isS3(from) && !isStreamInput(from);
  const isFile = transform !== undefined && isTransformFile(transform);
  const given = {
    from: isPath ? resolve(folder, from) : from,
    source,
    input,
    plan,
    transform: isFile ? resolve(folder, transform) : transform,
    writePlan,
    acceptDrop,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}
