/**
 * The sets that an organization publishes of a stream: its records, the files as they arrived, and the dumps of its
 * records; the latter not of the stream of a collection.
 */
const STREAM_SETS = ['records', 'uploads', 'dumps'] as const;
export type StreamSet = (typeof STREAM_SETS)[number];

/** A stream of an organization; without a stream id, the current default stream. */
export interface StreamName {
  readonly organization: string;
  readonly stream?: string | undefined;
}

/** The ending of the id of the set of the dumps of an organization in one form: `lane.dumps.marcxml`. */
export function dumpsInForm(organization: string, form: string): string {
  return `${organization}${ENDINGS.dumps}.${form}`;
}

export interface StreamWithSet extends StreamName {
  /** The id of the set of its records, if it is the stream of a collection. */
  readonly set?: string | undefined;
}

const ENDINGS: Readonly<Record<StreamSet, string>> = { records: '', uploads: '.uploads', dumps: '.dumps' };
const ENDINGS_OF_COLLECTION: Readonly<Record<StreamSet, string>> = { ...ENDINGS, uploads: '.harvests' };

/** The sets that a stream has. */
export function setsOfStream({ set }: Pick<StreamWithSet, 'set'>): readonly StreamSet[] {
  return set === undefined ? STREAM_SETS : STREAM_SETS.filter((what) => what !== 'dumps');
}

/**
 * The id of a set: `lane`, `lane.uploads`, `lane--main.dumps`; of a collection: `arxiv`, `arxiv.harvests`. See
 * organization.ts for the ids of streams.
 */
export function setOfStream({ organization, stream, set }: StreamWithSet, what: StreamSet): string {
  if (set !== undefined) return `${set}${ENDINGS_OF_COLLECTION[what]}`;
  return `${organization}${stream === undefined ? '' : `--${stream}`}${ENDINGS[what]}`;
}

/** The name in messages: `lane/main`, or `lane` for the default stream. */
export function streamText({ organization, stream }: StreamName): string {
  return stream === undefined ? organization : `${organization}/${stream}`;
}
