import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BLOCK_BYTES } from '../../../src/artifacts/blocks.ts';
import { MOST_PARTS, SMALL_PART_BYTES } from '../../../src/artifacts/s3/s3-upload.ts';
import { formatBytes } from '../../../src/lib/format-bytes.ts';
import { formatCount } from '../../../src/lib/format-count.ts';
import { SUBSCRIPTION_LIMITS } from '../../../src/publish/notify/subscriptions.ts';
import { LONGEST_FETCH_MS } from '../../../src/records/arrivals/fetch-url.ts';
import { LONGEST_UPLOAD_MS } from '../../../src/records/arrivals/receiving.ts';
import { MOST_LENGTH } from '../../../src/records/arrivals/resumable/resumable-upload.ts';
import { MOST_FILES } from '../../../src/records/arrivals/upload.ts';
import { MOST_LISTED } from '../../../src/records/errata/errata-writer.ts';
import { UNPACK_LIMITS } from '../../../src/records/packages/unpacking.ts';

const HOUR_MS = 3_600_000;
const whole = (bytes: number) => `${Math.floor(bytes / 1e9)} GB`;

/** What the docs promise, beside what the program does; what happens at each limit has tests of its own. */
const PROMISES: readonly (readonly [string, string])[] = [
  ['streams.md', `| files of an upload | ${formatCount(MOST_FILES)} |`],
  ['streams.md', `are listed, in a dump, too | the first ${formatCount(MOST_LISTED)}; all are counted |`],
  ['streams.md', `| time that an upload takes | ${LONGEST_UPLOAD_MS / HOUR_MS} hours |`],
  ['streams.md', `a minute without a byte, and ${LONGEST_FETCH_MS / HOUR_MS} hours in all`],
  ['streams.md', `${whole(MOST_PARTS * SMALL_PART_BYTES)} in a bucket;`],
  ['streams.md', `of a [resumable upload](#resumable-uploads), ${whole(MOST_LENGTH)} |`],
  ['streams.md', `| unpacked bytes of one file | ${UNPACK_LIMITS.bytes / 1024 ** 4} TB |`],
  ['streams.md', `| files in the packages of one file | ${formatCount(UNPACK_LIMITS.entries)} |`],
  ['streams.md', `, after the first ${UNPACK_LIMITS.freeBytes / 1024 ** 2} MB | ${UNPACK_LIMITS.ratio} |`],
  ['streams.md', `| the same of a ZIP in another package | ${UNPACK_LIMITS.copiedRatio} |`],
  ['streams.md', `in each other, too, to a depth of ${UNPACK_LIMITS.depth};`],
  ['artifacts.md', `in parts of 8 MB (so an object has at most ${whole(MOST_PARTS * BLOCK_BYTES)})`],
  ['artifacts.md', `in parts of 5 MB (${whole(MOST_PARTS * SMALL_PART_BYTES)})`],
  [
    'notifications.md',
    `${formatCount(SUBSCRIPTION_LIMITS.all)} subscriptions, ${SUBSCRIPTION_LIMITS.ofAHost} for callbacks of one host`,
  ],
];

describe('The limits that the docs promise', () => {
  for (const [file, promise] of PROMISES) {
    it(`are those of the program: ${promise}`, () => {
      const text = readFileSync(join(import.meta.dirname, '../../../docs', file), 'utf8').replaceAll(/\s+/g, ' ');
      assert.ok(text.includes(promise), `docs/${file}`);
    });
  }

  it('let a bucket store every resumable upload that is accepted', () => {
    assert.ok(MOST_LENGTH <= MOST_PARTS * SMALL_PART_BYTES, formatBytes(MOST_LENGTH));
  });
});
