import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isTidemarkError } from '../../../../src/core/errors.ts';
import { deleted, page, READING, readPage, record } from '../../../support/oai-pages.ts';

const IDS = ['1', '2', '3', '4', '5'];
const PAGE = Buffer.from(page(IDS.map((id) => (id === '4' ? deleted(id) : record(id, { specs: ['a'] }))).join('\n')));

const damage = fc.record({
  at: fc.nat(PAGE.length - 1),
  removed: fc.nat(30),
  added: fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc
      .constantFrom('<', '>', '&', '<!--', '<![CDATA[', '</record>', '<record>', '"', '<?', ']]>')
      .map((text) => Buffer.from(text)),
  ),
  chunk: fc.constantFrom(7, 100, 100_000),
});

describe('A damaged page of OAI-PMH', () => {
  it('never fails an upload of a user, and loses at most two records', async () => {
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, removed, added, chunk }) => {
        const bytes = Buffer.concat([PAGE.subarray(0, at), added, PAGE.subarray(at + removed)]);
        const items = await readPage(bytes, { chunk });
        assert.deepEqual(
          items.map(({ ordinal }) => ordinal),
          items.map((_, position) => position + 1),
        );
        const offsets = items.map(({ offset }) => offset);
        assert.deepEqual(
          offsets,
          offsets.toSorted((one, other) => one - other),
        );
        // Behind a fault of the page nothing is read, and the first record decides which format the others have.
        const hasFault = items.some(
          (item) => item.kind === 'erratum' && /nothing behind this place|that of the first record/.test(item.reason),
        );
        const lost = IDS.filter((id) => !items.some((item) => item.kind !== 'erratum' && item.id === id));
        assert.ok(hasFault || lost.length <= 2, `lost ${lost}`);
        const inEnvelope = at + removed < PAGE.indexOf('<record>') || at > PAGE.lastIndexOf('</record>') + 9;
        assert.ok(
          inEnvelope ||
            lost.length === 0 ||
            items.some(({ kind, id = '1' }) => kind === 'erratum' || !IDS.includes(id)),
          `lost ${lost} silently`,
        );
      }),
      { numRuns: 1_500 },
    );
  });

  it('fails a harvest with a reason, or nothing of it is malformed', async () => {
    for (const malformed of ['stop', 'skip'] as const) {
      await fc.assert(
        fc.asyncProperty(damage, async ({ at, removed, added, chunk }) => {
          const bytes = Buffer.concat([PAGE.subarray(0, at), added, PAGE.subarray(at + removed)]);
          try {
            await readPage(bytes, { chunk, reading: { ...READING, malformed } });
          } catch (error) {
            if (!isTidemarkError(error, 'invalid')) throw error;
          }
        }),
        { numRuns: 500 },
      );
    }
  });

  it('names each record that a harvest lost, or says of one that it is not known which it is', async () => {
    await fc.assert(
      fc.asyncProperty(damage, async ({ at, removed, added, chunk }) => {
        const bytes = Buffer.concat([PAGE.subarray(0, at), added, PAGE.subarray(at + removed)]);
        // What has lost its identifier, or a part of its header, was not seen.
        const seen = IDS.filter((id) => bytes.includes(`<header><identifier>${id}</identifier><datestamp>`));
        const items = await readPage(bytes, { chunk, reading: { ...READING, malformed: 'skip' } }).catch(
          () => undefined,
        );
        if (items === undefined || items.some((item) => item.kind === 'erratum' && !item.warning && !item.id)) return;
        const known = new Set(items.map(({ id }) => id));
        assert.deepEqual(
          seen.filter((id) => !known.has(id)),
          [],
        );
      }),
      { numRuns: 2_000 },
    );
  });
});
