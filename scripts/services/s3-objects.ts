import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Makes objects in a bucket's folder of a server of s3.ts, a thousand in each folder.
 * @param bytes random ones, so many for each object; without, a thousand objects share some bytes
 */
export async function makeObjects(bucketFolder: string, count: number, bytes = 0): Promise<void> {
  await run('python3', [join(import.meta.dirname, 's3-objects.py'), bucketFolder, String(count), String(bytes)]);
}

/** The path of an object by its number, from 0: `00000/0000.txt` and so on. */
export function pathOfObject(number: number): string {
  return `${String(Math.floor(number / 1_000)).padStart(5, '0')}/${String(number % 1_000).padStart(4, '0')}.txt`;
}
