import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { readContainer } from '../../src/artifacts/avro/container-reader.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { RecordReader } from '../../src/records/digests/record-reader.ts';
import { putArtifact, record } from '../support/record-artifacts.ts';
import { useTempFolder } from '../support/temp-folder.ts';

describe('the reader of records', () => {
  const folder = useTempFolder();
  let store: ArtifactStore;

  beforeEach(() => {
    store = openArtifacts({ kind: 'folder', folder: folder.path });
  });
  afterEach(() => store.close());

  it('keeps what it has read also after many records were not what they were', async () => {
    const document = `<a>${'x'.repeat(60_000)}</a>`;
    const artifact = await putArtifact(store, [record('a', document)], { start: '2017-02-09T10:44:28Z' });
    const { body } = await store.get(artifact);
    const { value: block } = await readContainer(body, { name: artifact }).next();
    const place = { artifact, offset: block.place.offset, length: block.place.length, position: 0 };
    let requests = 0;
    const get: ArtifactStore['get'] = (key, options) => {
      requests += 1;
      return store.get(key, options);
    };
    const reader = new RecordReader({ name: store.name, get });

    for (let wrong = 0; wrong < 300; wrong++) {
      await assert.rejects(reader.read(place, 'f'.repeat(64)), /has another document/);
    }
    await reader.read(place, hash('sha256', document, 'hex'));
    requests = 0;
    await reader.read(place, hash('sha256', document, 'hex'));
    assert.equal(requests, 0);
  });
});
