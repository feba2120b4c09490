import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INTEROP = join(import.meta.dirname, '../interop');
const OPTIONS = { maxBuffer: 64 * 1024 * 1024, timeout: 240_000 };

/** An entry as a program read it. */
export interface ReadEntry {
  readonly crc: number;
  /** Bytes. */
  readonly length: number;
  readonly name: string;
}

/** Tests every entry. Rejects when one is damaged, or when there is a warning. */
export async function testWithUnzip(file: string): Promise<void> {
  await run('unzip', ['-tqq', file], OPTIONS);
}

/** Finds an entry in the central directory, and tests it alone. Rejects as `testWithUnzip` does. */
export async function testEntryWithUnzip(file: string, name: string): Promise<void> {
  await run('unzip', ['-tqq', file, name], OPTIONS);
}

/** Tests every entry of every ZIP file of a folder. Rejects as `testWithUnzip` does. */
export async function testFolderWithUnzip(folder: string): Promise<void> {
  // It finds the files itself: one process for all of them.
  await run('unzip', ['-tqq', join(folder, '*.zip')], OPTIONS);
}

/** Reads the central directory, and tests every entry. */
export async function readWithPython(file: string): Promise<readonly ReadEntry[]> {
  const { stdout } = await run('python3', [join(INTEROP, 'zip_entries.py'), file], OPTIONS);
  return entriesOf(stdout, /^(\d+) (\d+) (.*)$/s);
}

/** Reads the file as a stream, from its first entry on: without the central directory. */
export async function readWithJava(file: string): Promise<readonly (ReadEntry & { readonly modified: number })[]> {
  const options = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-Dfile.encoding=UTF-8'];
  const { stdout } = await run('java', [...options, join(INTEROP, 'ZipEntries.java'), file], OPTIONS);
  const entries = entriesOf(stdout, /^(\d+) (\d+) (?:-?\d+) (.*)$/s);
  const times = stdout.split('\n').map((line) => Number(line.split(' ', 3)[2]));
  return entries.map((entry, at) => ({ ...entry, modified: times[at]! }));
}

function entriesOf(text: string, line: RegExp): readonly ReadEntry[] {
  return text
    .split('\n')
    .filter((one) => one !== '')
    .map((one) => {
      const [, crc, length, name = ''] = line.exec(one)!;
      return { crc: Number(crc), length: Number(length), name };
    });
}
