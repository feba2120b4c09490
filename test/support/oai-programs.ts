import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { AsyncFunc } from 'mocha';
import { itNeeding } from './it-needing.ts';

const CHECKOUT = join(import.meta.dirname, '../..');
const SCRIPTS = join(CHECKOUT, 'test/interop');
/** The Python that has them: of the folder that OAI_BIN names, or of the one that .ci/run makes. */
const PYTHON = join(process.env.OAI_BIN ?? join(CHECKOUT, '.services/oai/bin'), 'python3');
/** Milliseconds. */
const TIMEOUT_MS = 120_000;
const MOST_OUTPUT_BYTES = 64_000_000;

/** Clients that others wrote. `HTTP::OAI` is of Perl, the others are of Python. */
export const OAI_CLIENTS = ['sickle', 'scythe', 'HTTP::OAI'] as const;
export type OaiClient = (typeof OAI_CLIENTS)[number];

/** What a client is asked to list. */
export interface OaiRequest {
  readonly url: string;
  readonly prefix: string;
  readonly from?: string | undefined;
  readonly until?: string | undefined;
  readonly set?: string | undefined;
}

/** A record as a client has read it. */
export interface ReadRecord {
  readonly id: string;
  readonly datestamp: string;
  readonly sets: readonly string[];
  readonly deleted: boolean;
  /** Of the metadata in exclusive canonical XML; null for a deletion, and of HTTP::OAI, which keeps less. */
  readonly digest: string | null;
  /** A digest of the names, attributes and texts in the metadata; null for a deletion. */
  readonly content: string | null;
  readonly abouts: number;
}

/** What a repository that others wrote has: a line of its file. */
export interface SourceRecord {
  readonly id: string;
  readonly datestamp: string;
  readonly sets: readonly string[];
  readonly deleted: boolean;
  readonly dc: Readonly<Record<string, readonly string[]>>;
}

/** Lists by ListRecords, one list after the other, each with all its pages. */
export async function readLists(
  client: OaiClient,
  requests: readonly OaiRequest[],
): Promise<readonly (readonly ReadRecord[])[]> {
  const work = requests.map((request) => ({ client, ...request }));
  return client === 'HTTP::OAI' ? run('perl', 'oai_client.pl', work) : run(PYTHON, 'oai_clients.py', work);
}

export async function readOneList(client: OaiClient, request: OaiRequest): Promise<readonly ReadRecord[]> {
  return (await readLists(client, [request]))[0]!;
}

/** What podlake reads of an organization, by Sickle: it finds the set by the id of the organization. */
export async function readAsPodlake(work: {
  readonly url: string;
  readonly contributor: string;
  readonly headers: Readonly<Record<string, string>>;
}): Promise<readonly ReadRecord[]> {
  const [records] = await run(PYTHON, 'oai_clients.py', [{ client: 'podlake', prefix: 'marc21', ...work }]);
  return records!;
}

/** The records of stored documents. @param file NDJSON: the text of a document on each line */
export async function readDocuments(file: string): Promise<readonly ReadRecord[]> {
  const [records] = await run(PYTHON, 'oai_clients.py', [{ client: 'documents', file }]);
  return records!;
}

async function run(
  program: string,
  script: string,
  work: readonly object[],
): Promise<readonly (readonly ReadRecord[])[]> {
  const running = promisify(execFile)(program, [join(SCRIPTS, script)], {
    timeout: TIMEOUT_MS,
    maxBuffer: MOST_OUTPUT_BYTES,
  });
  running.child.stdin!.end(`${JSON.stringify(work)}\n`);
  return JSON.parse((await running).stdout);
}

/** A repository in a process of its own. The caller stops it in `afterEach`. */
export class OaiProgram {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** @param file NDJSON of records, which it reads again when it changes */
  static async start(program: 'pyoai' | 'oai-repo', file: string): Promise<OaiProgram> {
    const script = join(SCRIPTS, 'oai_servers.py');
    const child = spawn(PYTHON, ['-W', 'ignore', script, program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    const exited = once(child, 'exit').then(() => [undefined]);
    const [url] = await Promise.race([once(createInterface(child.stdout), 'line'), exited]);
    if (url === undefined) throw new Error(`${program} ended with ${child.exitCode}`);
    return new OaiProgram(child, url);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }
}

/** A test that needs clients and repositories of OAI-PMH that others wrote. */
export function itWithOaiPrograms(title: string, test: AsyncFunc): void {
  itNeeding({ name: 'oai', missing: missingPrograms() }, title, test).timeout(TIMEOUT_MS);
}

function missingPrograms(): string | undefined {
  if (!existsSync(PYTHON)) {
    return 'needs clients of OAI-PMH, in OAI_BIN or .services/oai/bin: pip install Sickle==0.7.0, and others as in .ci/run';
  }
  if (spawnSync('perl', ['-MHTTP::OAI', '-e', '1']).status !== 0) {
    return 'needs HTTP::OAI: "apt-get install libhttp-oai-perl"';
  }
  return undefined;
}
