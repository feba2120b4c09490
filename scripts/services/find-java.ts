import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { mayBeReached, runsAsRoot } from './unprivileged.ts';

/** The oldest that Elasticsearch 8.19 and Kafka run on, and the newest that they were made for. */
const OLDEST = 17;
const NEWEST = 25;

/**
 * The home of an installed Java that Elasticsearch runs on: `ES_JAVA_HOME` where it is set, else the newest that is
 * found. Throws an error that says which folders it tried.
 * @param oldest feature release
 */
export function findJava(oldest = OLDEST): string {
  const named = process.env.ES_JAVA_HOME;
  const homes = named === undefined ? installedHomes() : [named];
  const [best] = homes.filter((home) => isUsable(home, oldest)).toSorted((a, b) => versionOf(b)! - versionOf(a)!);
  if (best !== undefined) return best;
  const looked = homes.length > 0 ? ` (tried ${homes.join(', ')})` : '';
  throw new Error(
    `no Java from ${oldest} to ${NEWEST} was found${looked}: install one (Debian's package openjdk-${oldest}-jre-headless), or set ES_JAVA_HOME`,
  );
}

function installedHomes(): string[] {
  const named = process.env.JAVA_HOME;
  const homes = [
    ...(named === undefined ? [] : [named]),
    ...homesOnPath(),
    ...foldersIn('/usr/lib/jvm'),
    ...foldersIn('/Library/Java/JavaVirtualMachines').map((folder) => join(folder, 'Contents/Home')),
  ];
  return [...new Set(homes.filter((home) => existsSync(join(home, 'bin/java'))).map((home) => realpathSync(home)))];
}

function homesOnPath(): string[] {
  const commands = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'java'));
  return commands.filter(existsSync).map((command) => dirname(dirname(realpathSync(command))));
}

function foldersIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function isUsable(home: string, oldest: number): boolean {
  const version = versionOf(home);
  if (version === undefined || version < oldest || version > NEWEST) return false;
  return !runsAsRoot() || mayBeReached(home);
}

/** The feature release, such as 17; undefined where there is no Java. */
function versionOf(home: string): number | undefined {
  const release = join(home, 'release');
  if (!existsSync(release)) return undefined;
  const [, version] = /^JAVA_VERSION="(\d+)/m.exec(readFileSync(release, 'utf8')) ?? [];
  return version === undefined ? undefined : Number(version);
}
