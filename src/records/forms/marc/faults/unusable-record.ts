import type { Fault } from '../../../errata/fault.ts';

/** Thrown for input that cannot be a record; the message contains the reason. */
export class UnusableRecord extends Error {
  readonly fault: Fault;

  constructor(reason: string, fault: Fault) {
    super(reason);
    this.fault = fault;
  }
}

/** Thrown for bytes that are no text of MARC-8: `describeFault` says in which field they are. */
export class UnusableBytes extends UnusableRecord {
  /** A part of the memory of the record. */
  readonly bytes: Buffer;

  /** @param what such as `has the byte AF` @param bytes those that are no text, within the memory of the record */
  constructor(what: string, bytes: Buffer) {
    super(what, { kind: 'not-marc-8' });
    this.bytes = bytes;
  }
}
