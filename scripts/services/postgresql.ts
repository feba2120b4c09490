import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { findFreePorts } from './free-ports.ts';
import { ServiceProcess } from './service-process.ts';
import { handOver, openTemporaryFolders, unprivileged } from './unprivileged.ts';

const run = promisify(execFile);

export interface PostgresqlServer extends Pick<ServiceProcess, 'start' | 'stop' | 'kill'> {
  /** Of its database `postgres`, whose owner needs no password. */
  readonly url: string;
}

/**
 * Starts a real PostgreSQL on this machine: TCP on 127.0.0.1 alone, without passwords. It ends with this process,
 * however that ends.
 * @param folder is made when it is missing; data in it is used
 */
export async function startPostgresql({ folder }: { readonly folder: string }): Promise<PostgresqlServer> {
  const programs = findPrograms();
  const data = join(resolve(folder), 'data');
  if (!existsSync(data)) await initialize(programs, data);
  const [port] = await findFreePorts(1);
  const options = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'fsync=off'];
  const server = new ServiceProcess({
    name: 'PostgreSQL',
    command: join(programs, 'postgres'),
    args: ['-D', data, '-p', String(port), ...options],
    logFile: join(resolve(folder), 'log'),
    // The second one ends it without a checkpoint: the next start recovers as after a crash.
    signals: { stop: 'SIGINT', kill: 'SIGQUIT' },
    refusesRoot: true,
    isReady: () =>
      run(join(programs, 'pg_isready'), ['-q', '-h', '127.0.0.1', '-p', String(port)]).then(
        () => true,
        () => false,
      ),
  });
  await server.start();
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    start: () => server.start(),
    stop: () => server.stop(),
    kill: () => server.kill(),
  };
}

async function initialize(programs: string, data: string): Promise<void> {
  await mkdir(data, { recursive: true });
  openTemporaryFolders(data);
  handOver(data);
  // In another's folder it would complain that it cannot enter it.
  await run(join(programs, 'initdb'), ['-D', data, '-A', 'trust', '-U', 'postgres', '-E', 'UTF8', '--no-sync'], {
    cwd: data,
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
    ...unprivileged(),
  });
}

/** The folder of the newest installed server's programs. @throws Error that says what to install */
export function findPrograms(): string {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((name) => join(debian, name, 'bin')), ...(process.env.PATH ?? '').split(delimiter)];
  const found = folders.find((folder) => existsSync(join(folder, 'postgres')));
  if (found !== undefined) return found;
  throw new Error("PostgreSQL's server was not found: install it (Debian's package postgresql)");
}

if (import.meta.main) {
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const folder = await mkdtemp(join(tmpdir(), 'postgresql-'));
  try {
    const server = await startPostgresql({ folder });
    console.log(server.url);
    await interrupted;
    await server.stop();
  } finally {
    await rm(folder, { recursive: true });
  }
}
