import type { BlockPlace } from '../../artifacts/avro/container-writer.ts';
import type { ResourceKey } from '../../core/key.ts';
import {
  type EncodedState,
  encodeLinks,
  encodeState,
  type Link,
  type RecordPlace,
  type ResourceState,
} from '../../core/resource.ts';
import type { Seconds } from '../../core/w3c-datetime.ts';

/** The parts of a record's state that depend only on its document: neither its date nor its place. */
type DocumentState = Required<Pick<ResourceState, 'length' | 'mime' | 'hashes'>>;

/**
 * Separates the key from the rest. It sorts before every character of a key, so rows sort by key, and rows with the
 * same key by position in the file.
 */
const AFTER_KEY = '\u0001';
/** Separates the document from what it describes, if that is known. */
const DESCRIBED = '\u0002';
// Added to numbers, so that all have the same number of digits.
const OFFSETS = 1_000_000_000_000_000;
const OFFSET_DIGITS = 16;
const POSITIONS = 1_000_000_000;
const POSITION_DIGITS = 10;

/** Makes the rows of the records of a block: ASCII texts that sort by key. */
export function rowsOf({ offset, length }: BlockPlace) {
  const before = AFTER_KEY + (OFFSETS + offset);
  return (key: ResourceKey, position: number, document: DocumentState, described: readonly string[] = []): string =>
    // The part of the state's JSON between the date and what may follow the hashes, so that it can be found in the JSON
    // of another state.
    `${key}${before}${POSITIONS + position}${length} ${encodeState(document).slice(1, -2)}${describedText(described)}`;
}

/** It is not compared: the same document describes the same. */
function describedText(described: readonly string[]): string {
  if (described.length === 0) return '';
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return DESCRIBED + JSON.stringify(described).replace(/[^\x20-\x7e]/g, escaped);
}

/** The digest of a record, made while its artifact was read. */
export class DigestRow {
  readonly key: ResourceKey;
  readonly #row: string;

  constructor(row: string) {
    this.#row = row;
    this.key = row.slice(0, row.indexOf(AFTER_KEY));
  }

  /** The offset of its block. */
  get offset(): number {
    return Number(this.#row.slice(this.key.length + 1, this.#positionAt)) - OFFSETS;
  }

  /** How many records come before it in its block. */
  get position(): number {
    return Number(this.#row.slice(this.#positionAt, this.#lengthAt)) - POSITIONS;
  }

  /**
   * Whether a state is the JSON that this record makes, except for its date and its position in the artifact. `place`
   * is as `placeIn` writes it. For nearly all of a million records, this is the only check.
   */
  isWrittenIn(known: EncodedState, place: string): boolean {
    const document = this.#document;
    // The date comes before.
    const begin = known.indexOf(',') + 1;
    const end = begin + document.length;
    // Five times as fast as `startsWith`.
    return known.slice(begin, end) === document && known.slice(end, end + place.length) === place;
  }

  /** Whether a state describes the same document as this record, even if it is written differently. */
  isDescribedBy(known: EncodedState): boolean {
    return known.startsWith(this.#document, known.indexOf(',') + 1) || this.#isDescribedInAnotherWay(JSON.parse(known));
  }

  /** Whether the document is empty: in a stream, that means a deletion. */
  get isEmpty(): boolean {
    return this.#document.startsWith(EMPTY);
  }

  /** Its media type, which has no parameters. */
  get mime(): string {
    const begin = this.#row.indexOf(MIME, this.key.length) + MIME.length;
    return this.#row.slice(begin, this.#row.indexOf('"', begin));
  }

  /** The URIs that `StoredRecords.describedUris` found in the document. */
  get described(): readonly string[] {
    const begin = this.#row.indexOf(DESCRIBED, this.key.length);
    return begin < 0 ? [] : JSON.parse(this.#row.slice(begin + 1));
  }

  stateAt(artifact: string, lastmod: Seconds, links: readonly Link[] = []): EncodedState {
    const related = links.length === 0 ? '' : encodeLinks(links);
    return `{"lastmod":${lastmod},${this.#document}}${related},"record":${JSON.stringify(this.#placeIn(artifact))}}`;
  }

  get #document(): string {
    const begin = this.#row.indexOf(' ', this.key.length) + 1;
    const end = this.#row.indexOf(DESCRIBED, begin);
    return end < 0 ? this.#row.slice(begin) : this.#row.slice(begin, end);
  }

  /** A state with hashes of more algorithms describes the document, too. */
  #isDescribedInAnotherWay(known: ResourceState): boolean {
    const { length, mime, hashes }: DocumentState = JSON.parse(`{${this.#document}}}`);
    if (known.length !== length || known.mime !== mime) return false;
    return Object.entries(hashes).every(([algorithm, digest]) => known.hashes?.[algorithm as 'md5'] === digest);
  }

  #placeIn(artifact: string): RecordPlace {
    const { offset, position } = this;
    const length = Number(this.#row.slice(this.#lengthAt, this.#row.indexOf(' ', this.#lengthAt)));
    return { artifact, offset, length, position };
  }

  get #positionAt(): number {
    return this.key.length + 1 + OFFSET_DIGITS;
  }

  get #lengthAt(): number {
    return this.#positionAt + POSITION_DIGITS;
  }
}

const MIME = '"mime":"';
const EMPTY = '"length":0,';
const PLACE = '"record":{"artifact":"';

/**
 * The JSON that follows the hashes in a state whose record is in an artifact. A key of an artifact needs no
 * escaping.
 */
export function placeIn(artifact: string): string {
  return `},${PLACE}${artifact}"`;
}

/** The artifact of a state's record; undefined for a state without one. */
export function artifactOf(state: EncodedState): string | undefined {
  const found = state.indexOf(PLACE);
  if (found < 0) return undefined;
  const begin = found + PLACE.length;
  return state.slice(begin, state.indexOf('"', begin));
}
