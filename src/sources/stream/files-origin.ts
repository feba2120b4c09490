import type { Comparison } from '../source.ts';
import type { Deliveries } from './delivered-files.ts';
import type { NewDocument } from './stream-news.ts';

/** Where a set of files comes from. */
export interface FilesOrigin {
  /**
   * What the set has to have now; undefined when that is nothing yet.
   * @param dryRun records nothing
   */
  current(dryRun: boolean): Promise<CurrentDeliveries | undefined>;
  /** Which delivery a document is about; `all` when all have to be compared, undefined for none of this set. */
  newsIn(document: NewDocument): number | 'all' | undefined;
}

export interface CurrentDeliveries {
  readonly deliveries: Deliveries;
  /** How what differs is posted. */
  readonly posting?: Pick<Comparison, 'position' | 'end'>;
  /** Whether they are others than the set had: all have to be compared. */
  readonly isNew: boolean;
}

/** The number that the id of an upload or a dump ends with; undefined when it begins with another prefix. */
export function numberAfter(prefix: string, id: string): number | undefined {
  return id.startsWith(prefix) && /^\d{9}$/.test(id.slice(prefix.length)) ? Number(id.slice(prefix.length)) : undefined;
}
