import { spawnSync } from 'node:child_process';

/** A program that fetches the URLs of a file, one a line, into a folder. It compares no hashes, and syncs nothing. */
export interface UrlListClient {
  readonly program: string;
  args(list: string, folder: string, connections: number): readonly string[];
}

const CLIENTS: readonly UrlListClient[] = [
  {
    program: 'aria2c',
    args: (list, folder, connections) => [
      ...['--no-conf', '--quiet', '--summary-interval=0', '--file-allocation=none', '--auto-file-renaming=false'],
      ...['--max-connection-per-server=1', `--max-concurrent-downloads=${connections}`],
      ...[`--dir=${folder}`, `--input-file=${list}`],
    ],
  },
  {
    program: 'wget2',
    args: (list, folder, connections) => [
      ...['--no-config', '--quiet', '--no-robots', '--no-hsts', `--max-threads=${connections}`],
      ...[`--directory-prefix=${folder}`, '--force-directories', `--input-file=${list}`],
    ],
  },
];

/** Those that are installed; what is missing is logged. @throws Error when all are missing */
export function installedClients(log: (text: string) => void): readonly UrlListClient[] {
  const found = CLIENTS.filter(({ program }) => {
    const isMissing = spawnSync(program, ['--version']).error !== undefined;
    if (isMissing) log(`${program} is missing: "apt-get install ${program === 'aria2c' ? 'aria2' : program}"`);
    return !isMissing;
  });
  if (found.length > 0) return found;
  throw new Error('the baseline needs aria2c or wget2: "apt-get install aria2 wget2"');
}
