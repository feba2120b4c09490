import assert from 'node:assert/strict';
import { type Records, readDumpFiles, withDelta } from '../support/dump-consumer.ts';
import { describeOnEachArtifactStore } from '../support/each-artifact-store.ts';
import { SQLITE } from '../support/each-store.ts';
import { Catalogue } from '../support/marc-catalogue.ts';
import { RemovingStream } from '../support/removing-stream.ts';
import { closeApps, startApp } from '../support/start-app.ts';
import { marc } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

const NAME = { organization: 'lane', stream: 'main' };
const RECORDS = 500;
const catalogue = new Catalogue({ seed: 11 });

describeOnEachArtifactStore('Uploads and dumps of a stream', (artifacts) => {
  afterEach(closeApps);

  it('131: have nothing of an upload that was removed', async () => {
    const { app } = await startApp(SQLITE, { artifacts: artifacts.location });
    const { organizations, streamDumps } = app.records;
    await organizations.add('lane', { contacts: [] });
    await organizations.addStream('lane', 'main');
    const stream = new RemovingStream(app, 'main');
    const upload = (id: string) => stream.upload({ 'a.mrc': marc(id) }, new Map([[id, marc(id).toString()]]));
    await upload('a');
    const confidential = await upload('b');
    const [before] = await streamDumps.build(NAME, 'full');
    await stream.remove(confidential);
    await stream.compare();
    await streamDumps.build(NAME, 'full');
    for (const { artifact } of before!.files) assert.equal(await app.artifacts.head(artifact), undefined);
    const files = await readDumpFiles((await streamDumps.list(NAME)).at(-1)!, streamDumps);
    assert.deepEqual([...files.records.keys()], ['a']);
  });

  it('are read back as they were sent: a full dump, and a delta after it', async () => {
    const { app } = await startApp(SQLITE, { artifacts: artifacts.location });
    const stream = await ProcessedStream.make(app);
    const documents = Array.from({ length: RECORDS }, (_, number) => catalogue.marc21({ number }));
    const expected = new Map(documents.map((document, number) => [catalogue.idOf(number), document]));
    const first = await stream.process(await stream.upload({ 'full.mrc': Buffer.concat(documents) }));
    assert.equal(first.created, RECORDS);
    const [full, ...none] = await app.records.streamDumps.build(NAME, 'full');
    assert.deepEqual(none, []);
    const before = (await readDumpFiles(full!, app.records.streamDumps)).records;
    assertSame(before, expected);

    const changed = [catalogue.marc21({ number: 1, version: 1 }), catalogue.marc21({ number: RECORDS })];
    const files = {
      'new.mrc': Buffer.concat([...changed, Buffer.from('no record')]),
      'gone.del': `${catalogue.idOf(0)}\n`,
    };
    await stream.process(await stream.upload(files));
    const [delta] = await app.records.streamDumps.build(NAME, 'delta');
    assert.deepEqual(delta!.totals, { records: 2, deletions: 1, errata: 1 });
    const content = await readDumpFiles(delta!, app.records.streamDumps);
    assert.deepEqual(
      content.errata.map(({ upload }) => upload),
      [2],
    );
    expected.delete(catalogue.idOf(0));
    expected.set(catalogue.idOf(1), changed[0]!).set(catalogue.idOf(RECORDS), changed[1]!);
    assertSame(withDelta(before, content), expected);
  });
});

function assertSame(records: Records, expected: Records): void {
  assert.deepEqual([...records.keys()].toSorted(), [...expected.keys()].toSorted());
  for (const [id, document] of expected) assert.ok(document.equals(records.get(id)!), id);
}
