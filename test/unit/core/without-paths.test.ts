import assert from 'node:assert/strict';
import { TidemarkError } from '../../../src/core/errors.ts';
import { shownToClients } from '../../../src/core/without-paths.ts';

describe('what clients may read of an error', () => {
  for (const [message, details, shown] of [
    [
      'the root s3://coll/maps cannot be read: http://10.0.0.7:8410 cannot be reached',
      { root: 's3://coll/maps', set: 'maps' },
      'the root … cannot be read: … cannot be reached',
    ],
    [
      'the root /srv/maps does not exist: bring it back',
      { root: '/srv/maps' },
      'the root does not exist: bring it back',
    ],
    [
      'Elasticsearch at https://es.internal/behind/a/proxy does not answer (connect ECONNREFUSED)',
      {},
      'Elasticsearch at … does not answer (connect ECONNREFUSED)',
    ],
    ['the store http://es:9200: no answer', {}, 'the store …: no answer'],
  ] as const) {
    it(`names no folder, bucket or server: ${shown}`, () => {
      const { message: text, details: others } = shownToClients(new TidemarkError('unavailable', message, details));
      assert.equal(text, shown);
      assert.deepEqual(others, 'set' in details ? { set: details.set } : {});
    });
  }
});
