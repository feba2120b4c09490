/** A typed link (RFC 8288), as FAIR Signposting uses them: `item`, `cite-as`, `describedby`, `linkset`, `license` … */
export interface Signpost {
  readonly rel: string;
  /** Absolute. */
  readonly href: string;
  readonly type?: string;
  readonly from: 'header' | 'html';
}
