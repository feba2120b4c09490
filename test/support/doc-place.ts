import assert from 'node:assert/strict';
import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { CommandServer } from './command-server.ts';
import { findFreePort } from './free-port.ts';
import { findReferenceClient } from './reference-client.ts';
import { cleanEnvironment } from './run-tidemark.ts';
import { until } from './until.ts';

const CHECKOUT = join(import.meta.dirname, '../..');
const PROGRAM = join(CHECKOUT, 'src/main.js');
/** Milliseconds for one block of commands. */
const LIMIT = 120_000;

/** The blocks of shell commands of a page, in order. */
export function shellBlocks(page: string): readonly string[] {
  const text = readFileSync(join(CHECKOUT, page), 'utf8');
  return [...text.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)].map(([, indent, block]) =>
    block!.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
  );
}

export interface Finished {
  readonly exitCode: number;
  readonly output: string;
}

/** A temporary folder in which commands of the documentation run as a user runs them. */
export class DocPlace {
  readonly folder = mkdtempSync(join(tmpdir(), 'tidemark-docs-'));
  readonly url: string;
  readonly #environment: NodeJS.ProcessEnv;
  #commands: CommandServer | undefined;
  #server: ChildProcess | undefined;

  private constructor(port: number) {
    this.url = `http://localhost:${port}`;
    const PATH = [join(this.folder, 'bin'), process.env.PATH].join(delimiter);
    this.#environment = {
      ...cleanEnvironment(),
      PATH,
      TIDEMARK_PORT: String(port),
      // Repositories and platforms of tests are on this machine.
      TIDEMARK_HARVEST_NETWORKS: '127.0.0.1',
      TIDEMARK_DATASET_NETWORKS: '127.0.0.1',
      // Chains of activities are not to be waited for.
      TIDEMARK_RECORDS_POLL_INTERVAL: '300ms',
      CURL_HOME: this.folder,
    };
  }

  /** @param withProcesses whether each command is a process, as for a user; else all run in this one */
  static async make(withProcesses: boolean): Promise<DocPlace> {
    const place = new DocPlace(await findFreePort());
    place.program('tidemark', withProcesses ? `exec node ${PROGRAM} "$@"` : await place.#commandsHere());
    place.write('package.json', JSON.stringify({ scripts: { start: `node ${PROGRAM}` } }));
    // An answer that is an error is a failure, too.
    place.write('.curlrc', 'fail-with-body\nsilent\nshow-error\n');
    // What installs from registries is installed already.
    place.program('npm', `[ "$1" = ci ] || exec ${execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()} "$@"`);
    place.program('pip', 'exit 0');
    place.program('python3', `mkdir -p venv && ln -s ${join(place.folder, 'bin')} venv/bin`);
    const client = findReferenceClient();
    if (client !== undefined) symlinkSync(client, join(place.folder, 'bin/resync-sync'));
    return place;
  }

  async #commandsHere(): Promise<string> {
    this.#commands = await CommandServer.listen(join(this.folder, 'commands'));
    return `exec ${this.#commands.command} "$@"`;
  }

  write(name: string, text: string): void {
    mkdirSync(join(this.folder, name, '..'), { recursive: true });
    writeFileSync(join(this.folder, name), text);
  }

  program(name: string, script: string): void {
    this.write(`bin/${name}`, `#!/bin/sh\n${script}\n`);
    chmodSync(join(this.folder, 'bin', name), 0o755);
  }

  /** Runs commands to their end. */
  async run(commands: string): Promise<Finished> {
    return new Promise((resolve) => {
      const args = ['-eu', '-o', 'pipefail', '-c', commands];
      const options = { cwd: this.folder, env: this.#environment, timeout: LIMIT };
      execFile('bash', args, options, (error, stdout, stderr) => {
        resolve({ exitCode: error === null ? 0 : Number(error.code ?? -1), output: stdout + stderr });
      });
    });
  }

  /** Runs commands that end with a server, in place of the one before, until it is ready. */
  async serve(commands: string): Promise<void> {
    await this.stop();
    // A group of its own, since npm and the shell do not pass signals on.
    const server = spawn('bash', ['-eu', '-c', commands], {
      cwd: this.folder,
      env: this.#environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#server = server;
    let output = '';
    for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (output += chunk));
    await until(`a server is ready after ${commands}`, async () => {
      assert.equal(server.exitCode, null, `${commands}\n${output}`);
      return fetch(`${this.url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    });
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null) return;
    const exited = once(server, 'close');
    process.kill(-server.pid!, 'SIGTERM');
    await exited;
    await this.#commands?.ended();
  }

  async dispose(): Promise<void> {
    await this.stop();
    await this.#commands?.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
