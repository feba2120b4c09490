import assert from 'node:assert/strict';
import type { StoreKind } from './each-store.ts';
import { ProtocolIndex } from './protocol-index.ts';
import type { FinishedRun, RunningTidemark } from './run-tidemark.ts';
import { Workplace } from './workplace.ts';

type Environment = Readonly<Record<string, string>>;

/** For new sets. */
export const PREFIX = '--url-prefix https://data.example.org/{set}/';

export function path(value: string) {
  return { value, type: 'rel_path' };
}

/** A time as the protocol writes it. */
export function at(minute: number): string {
  return `2017-02-03T12:${String(minute).padStart(2, '0')}:00+0000`;
}

/** The same as it is published. */
export function published(minute: number, microseconds = 0): string {
  return at(minute).replace('+0000', `.${String(microseconds).padStart(6, '0')}Z`);
}

export function resource(name: string, fields: object = {}): object {
  return { resource_set: 'maps', location: path(name), ...fields };
}

export function change(name: string, kind: string, minute: number, fields: object = {}): object {
  return { resource_set: 'maps', location: path(name), change: kind, datetime: at(minute), ...fields };
}

interface DocumentProblems {
  readonly total: number;
  readonly first: readonly { readonly id: string; readonly code: string; readonly field?: string }[];
}

/** What the command prints with --json. */
export interface ImportSummary {
  readonly leftOut: Readonly<Record<string, number>>;
  readonly rejected: DocumentProblems;
  readonly leftOutFields: DocumentProblems;
  readonly sets: readonly {
    readonly set: string;
    readonly name: string;
    readonly isNew: boolean;
    readonly resources: number;
    readonly changes: number;
    readonly history: Readonly<Record<'known' | 'restamped', number>>;
    readonly settled: Readonly<Record<'created' | 'updated' | 'deleted', number>>;
  }[];
}

/** An index to import, and a working directory with a store of its own. The caller closes it in `afterEach`. */
export class ImportPlace {
  readonly source: ProtocolIndex;
  readonly work: Workplace;

  private constructor(source: ProtocolIndex, work: Workplace) {
    this.source = source;
    this.work = work;
  }

  static async make(store: StoreKind, elasticsearchUrl: string): Promise<ImportPlace> {
    const place = new ImportPlace(new ProtocolIndex(elasticsearchUrl), await Workplace.make(store));
    await place.source.make();
    return place;
  }

  /** Runs a command line without quotation marks to its end. */
  run(args: string, env: Environment = {}): Promise<FinishedRun> {
    return this.work.run(args.split(' ').filter(Boolean), { env });
  }

  start(args: string, env: Environment): RunningTidemark {
    return this.work.start(args.split(' '), { env });
  }

  /** Imports the index, of which nothing is rejected. */
  async import(args: string, env: Environment = {}): Promise<ImportSummary> {
    const run = await this.run(`import-index ${args} --json`, { ...this.source.environment(), ...env });
    assert.deepEqual([run.exitCode, run.stderr], [0, '']);
    return JSON.parse(run.stdout);
  }

  /** The log of a set, a line a change: time, kind, path and what is known of the state. */
  async changes(set: string): Promise<readonly string[]> {
    const { stdout } = await this.run(`changes list ${set} --json`);
    return stdout.trim().split('\n').map(toLine);
  }

  async close(): Promise<void> {
    await this.work.close();
    await this.source.remove();
  }
}

function toLine(json: string): string {
  const { datetime, change: kind, location, lastmod, length, hash, mime, ln } = JSON.parse(json);
  const rels = ln?.map(({ rel }: { rel: string }) => rel);
  const parts = [datetime, kind, location.value, lastmod, length, hash, mime, rels];
  return parts.filter((part) => part !== undefined).join(' ');
}
