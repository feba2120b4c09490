/** The names of the indices. All except `changesIndex` and `logIndex` are aliases, so that an index can be replaced. */
export class IndexNames {
  readonly prefix: string;
  /** All segments of the log, for searches and settings. Commits are written and read by `logSegment`. */
  readonly log: string;
  readonly resources: string;
  readonly changes: string;
  readonly ledgers: string;
  readonly catalog: string;
  readonly jobs: string;

  constructor(prefix: string) {
    this.prefix = prefix;
    this.log = `${prefix}-log`;
    this.resources = `${prefix}-resources`;
    this.changes = `${prefix}-changes`;
    this.ledgers = `${prefix}-ledgers`;
    this.catalog = `${prefix}-catalog`;
    this.jobs = `${prefix}-jobs`;
  }

  /** The alias of catalog and jobs that names the last pause, by the number of its commit: see write-block.ts. */
  pause(commit: number | string): string {
    return `${this.prefix}-pause-${commit}`;
  }

  /** The name of a concrete index of changes, numbered from 1. */
  changesIndex(number: number): string {
    return concrete(this.changes, number);
  }

  /** The name of the index of a log segment, numbered from 1; an alias of the ledgers once the segment was removed. */
  logIndex(number: number): string {
    return concrete(this.log, number);
  }

  /** The alias of a log segment, as long as the segment exists. */
  logSegment(number: number): string {
    return `${this.logIndex(number)}-open`;
  }

  /** The number of the log segment with this alias; 0 when the alias is not that of a segment. */
  segmentOf(alias: string): number {
    const number = Number(/-(\d+)-open$/.exec(alias)?.[1] ?? 0);
    return this.logSegment(number) === alias ? number : 0;
  }
}

export function concrete(alias: string, number: number): string {
  return `${alias}-${String(number).padStart(6, '0')}`;
}
