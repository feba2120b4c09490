import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../lib/workers/rpc.ts';
import { loadTransform } from './load-transform.ts';
import { type Outputs, type OutputTarget, outputOf } from './output-record.ts';
import type { DerivedSchema, TransformInput } from './transform.ts';

export interface TransformOptions {
  /** A name, or the path of a mapping or a module: see `loadTransform`. */
  readonly text: string;
  /** Base of relative paths. */
  readonly folder: string;
}

export interface TransformThreadData extends TransformOptions {
  /** One number: that of the record being transformed; 0 between two tasks. */
  readonly progress: Int32Array<SharedArrayBuffer>;
}

export interface DescribedTransform {
  readonly name: string;
  readonly schema: DerivedSchema | undefined;
}

export interface TransformTask {
  /** The number of the first record in the run, from 1. */
  readonly first: number;
  readonly records: readonly TransformInput[];
  /** Numbers of records to leave out. */
  readonly skip: readonly number[];
  readonly target: OutputTarget;
}

const { text, folder, progress } = workerData as TransformThreadData;
const loaded = loadTransform(text, folder);
loaded.catch(() => {});

const functions = {
  async describe(): Promise<DescribedTransform> {
    const { name, schema } = await loaded;
    return { name, schema };
  },

  /** The result of each record; undefined for one that is left out. */
  async transform({ first, records, skip, target }: TransformTask): Promise<readonly (Outputs | undefined)[]> {
    const transform = await loaded;
    const outputs = [];
    for (const [at, record] of records.entries()) {
      if (skip.includes(first + at)) {
        outputs.push(undefined);
        continue;
      }
      Atomics.store(progress, 0, first + at);
      const output = outputOf(record, transform, target);
      outputs.push(output instanceof Promise ? await output : output);
    }
    Atomics.store(progress, 0, 0);
    return outputs;
  },
};
export type TransformFunctions = typeof functions;

serveCalls(functions);
