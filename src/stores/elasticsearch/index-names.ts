/** The names of the indices. All except `changesIndex` are aliases, so that an index can be replaced. */
export class IndexNames {
  readonly prefix: string;
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
}

export function concrete(alias: string, number: number): string {
  return `${alias}-${String(number).padStart(6, '0')}`;
}
