import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Makes objects in a bucket's folder of a server of s3.ts: `00000/0000.txt` and so on, a thousand in each folder. */
export async function makeObjects(bucketFolder: string, count: number): Promise<void> {
  await run('python3', [join(import.meta.dirname, 's3-objects.py'), bucketFolder, String(count)]);
}
