import type { Tidemark } from '../tidemark.ts';

/** A source with one set of many resources, and how its store is measured. */
export interface LargeSource {
  readonly tidemark: Tidemark;
  readonly count: number;
  /** Bytes of the store on disk: log, states and all else. */
  storeBytes(): Promise<number>;
  /** A source with an empty store of the same kind. */
  empty(): Promise<LargeSource>;
  remove(): Promise<void>;
}

/** Prints progress, with the load of the machine. */
export type Log = (text: string) => void;
