import type { MirrorState } from '../state/mirror-state.ts';
import type { MirrorTarget } from './mirror-target.ts';

/** A place that can have a copy: where its files are going to be, and where its state is. */
export interface MirrorPlace {
  /** For messages. */
  readonly name: string;
  /** A local folder, for the state, the lock, and what is of one process alone. Absolute. */
  readonly stateFolder: string;
  /**
   * Called before anything is made.
   * @param adopts whether files of other programs may be taken over
   * @throws TidemarkError `conflict` when something else is there
   */
  prepare(adopts: boolean): void;
  /** @throws TidemarkError `conflict` when the place is of another copy, or has something else */
  open(opening: Opening): Promise<MirrorTarget>;
}

export interface Opening {
  readonly state: MirrorState;
  /** A local folder of this process alone; it may have what an earlier process left. */
  readonly own: string;
  readonly adopts: boolean;
  /** The URL of the source, without a login. */
  readonly source: string;
}
