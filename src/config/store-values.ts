import type { ElasticsearchLocation, SqliteLocation } from '../stores/locations.ts';
import { checked, quote, textOf, Wrong } from './checked-value.ts';
import { readNodes } from './elasticsearch-nodes.ts';
import { Secret } from './secret.ts';
import { wholeNumber } from './setting-values.ts';

/** A store according to its own setting; store-location.ts adds the values of other settings. */
export type GivenStore = SqliteLocation | Pick<ElasticsearchLocation, 'kind' | 'nodes' | 'authorization'>;

// Index names have at most 255 bytes, including what follows the prefix.
const LONGEST_PREFIX = 200;

export const store = checked((value): GivenStore => {
  const text = textOf(value);
  if (/^https?:/i.test(text)) return { kind: 'elasticsearch', ...readNodes(text) };
  const file = /^sqlite:(.*)$/s.exec(text)?.[1];
  // It may be a URL with a password that was mistyped, so it is not repeated.
  if (file === undefined) {
    throw new Wrong(
      'is not a store: use sqlite:PATH, such as sqlite:data/tidemark.db, or the URL of an Elasticsearch server, such as http://localhost:9200',
    );
  }
  if (file === '' || file.includes('\0')) throw new Wrong('lacks the path of the file: use sqlite:PATH');
  return { kind: 'sqlite', file };
});

export const apiKey = checked((value) => {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/=_-]{8,}$/.test(value)) {
    throw new Wrong('is not an API key: use the one that Elasticsearch calls "encoded"');
  }
  return new Secret(value);
});

/** Primary shards of an index: Elasticsearch permits no more. */
export const shards = wholeNumber(1, 1_024);

/** Prefix of the names of indices, so it must follow the rules of Elasticsearch for them. */
export const indexPrefix = checked((value) => {
  const text = textOf(value);
  const wrong = wrongPrefix(text);
  if (wrong !== undefined) throw new Wrong(`${quote(value)} cannot begin the names of indices: ${wrong}`);
  return text;
});

function wrongPrefix(text: string): string | undefined {
  if (text === '') return 'it is empty';
  if (text !== text.toLowerCase()) return 'use lower case';
  if (/[\\/*?"<>|\s,#:\0-\x1f]/.test(text)) return 'leave out spaces and \\ / * ? " < > | , # :';
  // Names of system indices of Elasticsearch begin with a dot.
  if (/^[-_+.]/.test(text)) return 'begin with a letter or a digit';
  if (Buffer.byteLength(text) > LONGEST_PREFIX) return `use ${LONGEST_PREFIX} bytes or fewer`;
  return undefined;
}
