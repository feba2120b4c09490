import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runChild } from './child.ts';
import type { Prefix } from './oai-records.ts';

const BENCH = join(import.meta.dirname, '..');
const CHECKOUT = join(BENCH, '../..');

export interface SourceOptions {
  readonly name?: string;
  readonly records: number;
  /** Whether the identifiers come in an order that has nothing to do with their own. */
  readonly isShuffled?: boolean;
}

/** A repository of prepared bytes, in a process of its own. */
export class OaiSource {
  readonly #child: ChildProcess;
  readonly #url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  static async start(): Promise<OaiSource> {
    const probe = join(BENCH, 'probes/oai-pages.ts');
    const child = spawn(process.execPath, [probe], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    return new OaiSource(child, url);
  }

  baseUrl({ name = 'bench', records, isShuffled = false }: SourceOptions): string {
    return `${this.#url}/oai/${name}/${records}/${isShuffled ? 'shuffled' : 'ordered'}`;
  }

  /** Changes so many records of a name, and leaves more of them out. */
  async change(changed: number, gone = 0, name = 'bench'): Promise<void> {
    await fetch(`${this.#url}/control/${name}?changed=${changed}&gone=${gone}`);
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Seconds that Sickle takes to read a list to its end. @throws Error when it reads another number of records */
export async function readBySickle(url: string, prefix: Prefix, records: number): Promise<number> {
  const { stdout } = await runChild(oaiPython(), [join(BENCH, 'baselines/sickle_list.py'), url, prefix]);
  const read = JSON.parse(stdout);
  if (read.records !== records) throw new Error(`Sickle has read ${read.records} records, not ${records}`);
  return read.seconds;
}

/** The Python that has Sickle, and lxml. @throws Error that says how to get it */
export function oaiPython(): string {
  const python = join(process.env.OAI_BIN ?? join(CHECKOUT, '.services/oai/bin'), 'python3');
  if (existsSync(python)) return python;
  throw new Error(
    'the baseline needs Python with Sickle 0.7.0: "python3 -m venv .services/oai && .services/oai/bin/pip install Sickle==0.7.0", or the bin folder of such an environment in OAI_BIN',
  );
}
