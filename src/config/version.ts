import { readFileSync } from 'node:fs';

/** The version of this package. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;

/**
 * The version written into files: `0.1.0+1f25515dd3c1`, the version and, where known, the beginning of the commit that
 * it was built from.
 */
export function softwareVersion(): string {
  known ??= [VERSION, readCommit()?.slice(0, 12)].filter((part) => part !== undefined).join('+');
  return known;
}

let known: string | undefined;

/** In a checkout, read from git's files; in a package, from the file that its build wrote. */
function readCommit(): string | undefined {
  const head = readLine('../../.git/HEAD');
  const [, branch] = /^ref: (refs\/[\w./-]+)$/.exec(head ?? '') ?? [];
  const commit = branch === undefined ? (head ?? readLine('../commit')) : readBranch(branch);
  return commit !== undefined && /^[0-9a-f]{40,64}$/.test(commit) ? commit : undefined;
}

function readBranch(branch: string): string | undefined {
  const loose = readLine(`../../.git/${branch}`);
  if (loose !== undefined) return loose;
  const packed = readFile('../../.git/packed-refs')?.split('\n') ?? [];
  return packed.find((line) => line.endsWith(` ${branch}`))?.split(' ')[0];
}

function readLine(path: string): string | undefined {
  return readFile(path)?.trim();
}

function readFile(path: string): string | undefined {
  try {
    return readFileSync(new URL(path, import.meta.url), 'utf8');
  } catch {
    return undefined;
  }
}
