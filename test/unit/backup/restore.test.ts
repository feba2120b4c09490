import assert from 'node:assert/strict';
import type { LogDocument, LogOrder } from '../../../src/artifacts/avro/avro-schemas.ts';
import { RecordDigest } from '../../../src/backup/catalog-documents.ts';
import { writeFile } from '../../../src/backup/file-writer.ts';
import { replayOrders, replayPositions } from '../../../src/backup/replay.ts';
import { openSets, readArchivedDocuments, setsOf } from '../../../src/backup/restore-documents.ts';
import { MOST_SOURCES } from '../../../src/core/decide-batch.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { useArchivedStores } from '../../support/archived-stores.ts';
import { deletion, upsert } from '../../support/builders.ts';

describe('what a store is rebuilt of', () => {
  const place = useArchivedStores();
  const segment = { chain: 'chain', number: 1, after: 0, through: 2 };
  const digest = () => ({ digest: new RecordDigest() });

  it('raises the order of a key that has not changed since, and of no other', async () => {
    const { index } = place.stores;
    const [a, b] = await index.commit([upsert(place.maps, 'a'), upsert(place.maps, 'b')]);
    const stampOf = (result = a) => (result?.status === 'applied' ? result.stamp : 0);
    async function* records(): AsyncGenerator<readonly LogOrder[]> {
      // The line of `a` is older than its change.
      yield [
        { set: place.maps, key: '/a', order: 5, stamp: stampOf(a) - 2 },
        { set: place.maps, key: '/b', order: 5, stamp: stampOf(b) },
      ];
    }
    const contents = { part: 'orders', schema: 'log.Order.v1', records: records() } as const;
    const orders = await writeFile(place.artifacts, segment, { ...contents, ...digest() });
    const { mark } = await place.archive();
    await replayOrders({ artifacts: place.artifacts, index, marks: [{ ...mark!, orders }] });
    const states = await index.lookup(place.maps, ['/a', '/b']);
    assert.deepEqual(
      states.map((state) => state?.order),
      [undefined, 5],
    );
  });

  it('has all positions, also more than may be posted', async () => {
    const many = Array.from({ length: MOST_SOURCES + 1 }, (_, at) => ({
      ...deletion(place.maps, 'none'),
      source: `s${at}`,
      position: at,
      time: 2,
    }));
    await place.stores.index.commit(many);
    const { mark } = await place.archive();
    const { index, catalog } = await place.open();
    await openSets(catalog, setsOf(await readArchivedDocuments(place.artifacts, mark!)));
    await replayPositions({ artifacts: place.artifacts, index }, mark!);
    assert.equal((await index.positions()).length, many.length);
  });

  it('has no documents of a kind that this version does not know', async () => {
    async function* records(): AsyncGenerator<readonly LogDocument[]> {
      yield [{ kind: 'set', id: '1', body: '{}' }];
      yield [{ kind: 'unheard-of', id: '1', body: '{}' }];
    }
    const contents = { part: 'documents', schema: 'log.CatalogDocument.v1', records: records() } as const;
    const documents = await writeFile(place.artifacts, segment, { ...contents, ...digest() });
    const { mark } = await place.archive();
    await assert.rejects(
      readArchivedDocuments(place.artifacts, { ...mark!, documents }),
      (error) => isTidemarkError(error, 'incompatible') && /"unheard-of": use a newer version/.test(error.message),
    );
  });
});
