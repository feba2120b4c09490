import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

interface SourceOptions {
  readonly datasets: number;
  readonly files: number;
  /** Bytes of a file. */
  readonly size: number;
}

const FIRST = 1_000_000;

/** A platform with datasets of small files, in a process of its own. */
export class DatasetSource {
  readonly url: string;
  readonly #child: ChildProcess;
  readonly #datasets: number;

  private constructor(child: ChildProcess, url: string, datasets: number) {
    this.#child = child;
    this.url = url;
    this.#datasets = datasets;
  }

  static async start(options: SourceOptions): Promise<DatasetSource> {
    const probe = join(import.meta.dirname, '../probes/dataset-platforms.ts');
    const args = [probe, JSON.stringify({ first: FIRST, ...options })];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    return new DatasetSource(child, url, options.datasets);
  }

  /** The ids of its records. */
  get ids(): { readonly first: number; readonly count: number } {
    return { first: FIRST, count: this.#datasets };
  }

  /** The URLs of its datasets, one a line. */
  lines(): string {
    return Array.from({ length: this.#datasets }, (_, at) => `${this.url}/records/${FIRST + at}\n`).join('');
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}
