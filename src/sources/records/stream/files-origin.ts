import type { Comparison } from '../../source.ts';
import type { Deliveries } from './delivered-files.ts';
import type { NewDocument } from './stream-watcher.ts';

/** The origin of a set of files. */
export interface FilesOrigin {
  /**
   * The deliveries that the set must have now; undefined when there are none yet.
   * @param dryRun records nothing
   */
  current(dryRun: boolean): Promise<CurrentDeliveries | undefined>;
  /**
   * The delivery that a document concerns: its number, `all` when all have to be compared, undefined when it concerns
   * none of this set.
   */
  deliveryIn(document: NewDocument): number | 'all' | undefined;
}

export interface CurrentDeliveries {
  readonly deliveries: Deliveries;
  /** Position and end of the comparison that posts the differences. */
  readonly posting?: Pick<Comparison, 'position' | 'end'>;
  /** Whether the deliveries are of another stream than before: all have to be compared. */
  readonly isNew: boolean;
}

/** The number at the end of the id of an upload or a dump; undefined when the id has another prefix. */
export function numberAfter(prefix: string, id: string): number | undefined {
  return id.startsWith(prefix) && /^\d{9}$/.test(id.slice(prefix.length)) ? Number(id.slice(prefix.length)) : undefined;
}
