import assert from 'node:assert/strict';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { parseLeniently } from '../../../src/ingest/import-index/lenient-event.ts';
import { isRejection, parsePostedEvent } from '../../../src/ingest/posted-event.ts';

const SET = { id: 7, slug: 'papers', urlPrefix: 'https://data.example.org/papers/' } as ResourceSet;
const PATCH = 'http://www.openarchives.org/rs/terms/patch';
const href = { value: 'b.xml', type: 'rel_path' };

function read(...ln: readonly object[]) {
  const event = { location: { value: 'a.pdf', type: 'rel_path' }, change: 'updated', ln };
  const read = parseLeniently(event, (rest) => parsePostedEvent(rest, { set: SET }, Date.UTC(2026, 5, 1)));
  assert.ok(!isRejection(read.event));
  return { links: read.event.state?.links?.map(({ rel }) => rel), problems: read.leftOut.map(({ field }) => field) };
}

describe('An event that is read leniently', () => {
  it('loses a wrong part of a link, and a link whose relation or address is wrong', () => {
    const about = { href, mime: 'x', pri: 0 };
    assert.deepEqual(read({ rel: 'no-such', href }, { rel: 'describedby', ...about }, { rel: 'item', href }), {
      links: ['describedby', 'item'],
      problems: ['ln[1].pri', 'ln[0].rel', 'ln[1].mime'],
    });
  });

  it('loses a link that lacks what it must have', () => {
    assert.deepEqual(read({ rel: 'item', href }, { rel: PATCH, href }, { rel: 'memento', href }), {
      links: ['item'],
      problems: ['ln[1].mime', 'ln[2].modified'],
    });
  });
});
