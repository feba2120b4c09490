import assert from 'node:assert/strict';
import { mailText, messageJson, type NotifiedUpload } from '../../../src/jobs/messages/message-text.ts';
import type { Organization } from '../../../src/records/organization.ts';

const organization: Organization = { id: 'lane', contacts: [], created: 0, streams: [], title: 'Lane Library' };
const context = { organization, baseUrl: 'https://data.example.org' };

function failed(number: number): NotifiedUpload {
  const name = { organization: 'lane', stream: 'main', number };
  const by = { token: 'a1', name: 'nightly job', address: '192.0.2.1' };
  const url = 'https://lane.example/new.mrc?signature=secret';
  return {
    message: { ...name, event: 'failed', at: 0 },
    upload: { ...name, received: 0, files: [], token: 'random', url, by },
    state: { failure: { at: 0, error: 'it is empty', isFinal: true } },
  };
}

describe('A message about uploads (134)', () => {
  it('has neither the query of a URL nor the address of a client', () => {
    const { text } = mailText([failed(1)], context);
    assert.match(text, /^Fetched from: https:\/\/lane\.example\/new\.mrc$/m);
    assert.match(text, /^Sent by: nightly job$/m);
    for (const sent of [text, JSON.stringify(messageJson([failed(1)], context))]) {
      assert.doesNotMatch(sent, /signature|192\.0\.2\.1|random/);
    }
  });

  it('describes the latest twenty, and counts the others', () => {
    const { subject, text } = mailText(
      Array.from({ length: 23 }, (_, at) => failed(at + 1)),
      context,
    );
    assert.equal(subject, '23 uploads of Lane Library need your attention');
    const described = [...text.matchAll(/^The upload lane\/main\/(\d+) has failed/gm)].map(([, number]) =>
      Number(number),
    );
    assert.deepEqual([described.length, described[0], described.at(-1)], [20, 23, 4]);
    assert.match(text, /and 3 more: https:\/\/data\.example\.org\/organizations\/lane\//);
  });
});
