import type { BenchOptions } from '../../figure.ts';
import { SET } from '../filled-source.ts';
import { measureChanges } from './change-times.ts';
import { type Command, measureCompare, measureRebuild, measureVerify } from './commands.ts';
import type { LargeSource, Log } from './large-source.ts';
import { type Filled, postMade } from './post-made.ts';
import { measureStarts, type Starts } from './starts.ts';
import { type ChangedList, measureChangedList, measureWholeList, type WholeList } from './whole-list.ts';

/** All that is measured of a source of one size. What is measured once takes minutes. */
export interface Measured {
  readonly count: number;
  readonly filled: Filled;
  /** Bytes of the store for a resource with one change. */
  readonly resourceBytes: number;
  /** Bytes that a further change of a resource adds. */
  readonly changeBytes: number;
  readonly starts: Starts;
  readonly list: WholeList;
  readonly compare: Command;
  readonly verify: Command;
  readonly archive: Command;
  readonly rebuild: Command;
  readonly changed: ChangedList;
  /** Milliseconds, p95 of each round. */
  readonly changes: readonly number[];
}

/** Fills a source, and measures it: first what needs the resources as they were posted. */
export async function measureSource(
  source: LargeSource,
  { runs, folder }: Pick<BenchOptions, 'runs' | 'folder'>,
  log: Log,
): Promise<Measured> {
  const { count } = source;
  await source.tidemark.addSet(SET);
  const filled = await postMade(source.tidemark, { count, order: 'random' }, log);
  const starts = await measureStarts(source.tidemark, runs);
  const resourceBytes = (await source.storeBytes()) / count;
  const [first, second] = [starts.first, starts.second].map((times) => times.map((time) => time.toFixed(1)).join(', '));
  log(`${resourceBytes.toFixed(0)} bytes a resource; ready after ${first} s, beside it ${second} s`);
  const list = await measureWholeList(source, log);
  const compare = await measureCompare(source, { folder, log });
  const verify = await measureVerify(source, log);
  const { archive, rebuild } = await measureRebuild(source, { folder, log });
  const changed = await measureChangedList(source, log);
  const changes = await measureChanges(source, runs, log);
  const changeBytes = await measureChangeBytes(source, log);
  return {
    count,
    filled,
    resourceBytes,
    changeBytes,
    starts,
    list,
    compare,
    verify,
    archive,
    rebuild,
    changed,
    changes,
  };
}

/** Changes a tenth of the resources. */
async function measureChangeBytes(source: LargeSource, log: Log): Promise<number> {
  const count = source.count / 10;
  const before = await source.storeBytes();
  await postMade(source.tidemark, { count, order: 'random', revision: 1 }, log);
  return ((await source.storeBytes()) - before) / count;
}
