/** What OAI-PMH 2.0 calls its parts. */

export const VERBS = [
  'GetRecord',
  'Identify',
  'ListIdentifiers',
  'ListMetadataFormats',
  'ListRecords',
  'ListSets',
] as const;
export type Verb = (typeof VERBS)[number];
/** The verbs whose answers list what has changed. */
export type ListVerb = 'ListIdentifiers' | 'ListRecords';

/** OAI-PMH 2.0, 3.6. */
type ProtocolErrorCode =
  | 'badArgument'
  | 'badResumptionToken'
  | 'badVerb'
  | 'cannotDisseminateFormat'
  | 'idDoesNotExist'
  | 'noMetadataFormats'
  | 'noRecordsMatch'
  | 'noSetHierarchy';

export interface ProtocolError {
  readonly code: ProtocolErrorCode;
  /** A sentence without a full stop. */
  readonly message: string;
}

/** Errors of a request that are its answer: the status is 200 nevertheless (OAI-PMH 2.0, 3.6). */
export class ProtocolErrors extends Error {
  readonly errors: readonly ProtocolError[];

  constructor(errors: readonly ProtocolError[]) {
    super(errors.map(({ code, message }) => `${code}: ${message}`).join('; '));
    this.name = 'ProtocolErrors';
    this.errors = errors;
  }
}

export function protocolError(code: ProtocolErrorCode, message: string): ProtocolErrors {
  return new ProtocolErrors([{ code, message }]);
}

/** OAI-PMH.xsd: the characters of a metadata prefix, and of each part of a setSpec. */
export const PREFIX = /^[A-Za-z0-9\-_.!~*'()]+$/;
export const SET_SPEC = /^[A-Za-z0-9\-_.!~*'()]+(?::[A-Za-z0-9\-_.!~*'()]+)*$/;
