import type { MirrorState } from '../state/mirror-state.ts';
import type { MirrorTarget } from './mirror-target.ts';

/** A place for a copy: it says where the files and the state are stored. */
export interface MirrorPlace {
  /** For messages. */
  readonly name: string;
  /** A local folder, absolute: for the state, the lock, and files of one process alone. */
  readonly stateFolder: string;
  /**
   * Called before anything is created.
   * @param adopts whether files of other programs may be taken over
   * @throws TidemarkError `conflict` when the place has other content
   */
  prepare(adopts: boolean): void;
  /** @throws TidemarkError `conflict` when the place has another copy, or other content */
  open(opening: Opening): Promise<MirrorTarget>;
}

export interface Opening {
  readonly state: MirrorState;
  /** A local folder of this process alone. It may contain files of an earlier process. */
  readonly own: string;
  readonly adopts: boolean;
  /** The URL of the source, without a login. */
  readonly source: string;
}
