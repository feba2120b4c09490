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

  /** The name of a concrete index of changes, numbered from 1. */
  changesIndex(number: number): string {
    return concrete(this.changes, number);
  }
}

export function concrete(alias: string, number: number): string {
  return `${alias}-${String(number).padStart(6, '0')}`;
}
