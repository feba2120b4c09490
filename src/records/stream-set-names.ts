/**
 * The sets that an organization publishes of a stream: its records, the files as they arrived, and the dumps of its
 * records.
 */
export const STREAM_SETS = ['records', 'uploads', 'dumps'] as const;
export type StreamSet = (typeof STREAM_SETS)[number];

/** A stream of an organization; without a stream id, the current default stream. */
export interface StreamName {
  readonly organization: string;
  readonly stream?: string | undefined;
}

const ENDINGS: Readonly<Record<StreamSet, string>> = { records: '', uploads: '.uploads', dumps: '.dumps' };

/** The id of a set: `lane`, `lane.uploads`, `lane--main.dumps`. See organization.ts for the ids of streams. */
export function setOfStream({ organization, stream }: StreamName, what: StreamSet): string {
  return `${organization}${stream === undefined ? '' : `--${stream}`}${ENDINGS[what]}`;
}

/** The name in messages: `lane/main`, or `lane` for the default stream. */
export function streamText({ organization, stream }: StreamName): string {
  return stream === undefined ? organization : `${organization}/${stream}`;
}
