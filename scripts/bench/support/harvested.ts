import type { BenchOptions } from '../figure.ts';
import type { Prefix } from './oai-records.ts';
import { runMeasured } from './run-measured.ts';
import { Tidemark } from './tidemark.ts';

export const COLLECTION = 'bench';
/** The repositories of the benches are on this machine. */
export const NETWORKS = { TIDEMARK_HARVEST_NETWORKS: '127.0.0.1' };

/** What a run of `tidemark harvest` reports. */
export interface Harvested {
  readonly number: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly unchanged: number;
  /** Of the whole process. */
  readonly seconds: number;
  readonly processorTime: number;
  /** MB. */
  readonly memory: number;
}

/** A store with one collection, which was not harvested yet. */
export async function withCollection(
  { folder }: Pick<BenchOptions, 'folder'>,
  { baseUrl, prefix = 'oai_dc' }: { readonly baseUrl: string; readonly prefix?: Prefix },
): Promise<Tidemark> {
  const tidemark = await Tidemark.create(folder.next('data'), NETWORKS);
  await tidemark.run('collections', 'add', COLLECTION, '--base-url', baseUrl, '--format', prefix);
  return tidemark;
}

/** Harvests in one process, which ends when each record is published. @throws Error when it is not complete */
export async function harvest(tidemark: Tidemark, ...options: readonly string[]): Promise<Harvested> {
  const { stdout, seconds, memory, processorTime } = await runMeasured(tidemark, ['harvest', COLLECTION, ...options]);
  const { status, number, outcome } = JSON.parse(stdout.trim().split('\n').at(-1)!);
  if (status !== 2) throw new Error(`the harvest ended with ${status}: ${stdout}`);
  return { ...outcome, number, seconds, memory, processorTime };
}

/** Seconds of a run until everything was received and durable. */
export async function secondsOfReceiving(tidemark: Tidemark, number: number): Promise<number> {
  const { started, responses } = JSON.parse(
    (await tidemark.run('harvests', 'show', COLLECTION, String(number))).stdout,
  );
  const [, upload] = /\/(\d+)\/files\//.exec(responses)!;
  const name = `${COLLECTION}/${COLLECTION}/${upload}`;
  const { received } = JSON.parse((await tidemark.run('uploads', 'show', name)).stdout);
  return (Date.parse(received) - Date.parse(started)) / 1000;
}
