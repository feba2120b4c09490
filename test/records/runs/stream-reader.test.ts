import assert from 'node:assert/strict';
import type { InputItem } from '../../../src/records/input-item.ts';
import { AppliedUploads, type UploadChanges } from '../../support/applied-uploads.ts';
import { describeOnEachStore } from '../../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../../support/start-app.ts';
import { marc } from '../../support/upload-packages.ts';

const NAME = { organization: 'lane', stream: 'main' };

describeOnEachStore('the records of a stream, as the input of a harvest', (store, itOnce) => {
  let started: StartedApp;
  let uploads: AppliedUploads;

  beforeEach(async () => {
    started = await startApp(store);
    const { organizations } = started.app.records;
    await organizations.add(NAME.organization, { contacts: [] });
    await organizations.addStream(NAME.organization, NAME.stream);
    uploads = new AppliedUploads(started.app, { ...NAME, folder: started.folder, eventsPerCommit: 2 });
  });
  afterEach(closeApps);

  const records = (count: number, note: string): UploadChanges =>
    new Map(Array.from({ length: count }, (_, number) => [`r${number}`, marc(`r${number}`, note)]));
  const open = () => started.app.records.streamReader.open('stream:lane', new AbortController().signal);
  const read = async ({ source }: Awaited<ReturnType<typeof open>>) => {
    const items: InputItem[] = [];
    for await (const batch of source.read()) {
      items.push(...batch.items);
      assert.equal(batch.done, items.length);
    }
    source.close?.();
    return items;
  };
  const noteOf = (item: InputItem) => item.kind === 'record' && /code="a">(\w+)</.exec(item.document)?.[1];

  it('have all or nothing of an upload that is being applied, and nothing of what came after they were opened', async () => {
    await uploads.apply(records(5, 'old'));
    const { commits, end, number } = await uploads.begin(records(5, 'new'));
    await commits[0]!();
    const opening = open();
    for (const commit of commits.slice(1)) await commit();
    await end();
    const opened = await opening;
    assert.match(opened.url, new RegExp(`^stream:lane/main\\?upload=${number}&until=\\d{16}$`));
    await uploads.apply(new Map([...records(2, 'newer'), ['r4', undefined]]));
    assert.deepEqual((await read(opened)).map(noteOf), Array(5).fill('new'));
    assert.deepEqual((await read(await open())).map(noteOf).sort(), ['new', 'new', 'newer', 'newer']);
  });

  itOnce('are bad where one cannot be written as text, and the others are read', async () => {
    await uploads.apply(records(2, 'good'));
    uploads.mime = 'application/x-odd';
    await uploads.apply(new Map([['odd', Buffer.from('in a form that is not known any more')]]));
    const items = await read(await open());
    const bad = items.filter((item) => item.kind === 'bad');
    assert.deepEqual([items.length, bad.length, bad[0]?.id, bad[0]?.problem.kind], [3, 1, 'odd', 'not-writable']);
    assert.match(bad[0]!.problem.message, /^it cannot be written as text: ./);
  });

  itOnce('are none in a stream without uploads, whose position names no upload', async () => {
    const opened = await open();
    assert.match(opened.url, /^stream:lane\/main\?until=\d{16}$/);
    assert.deepEqual(await read(opened), []);
  });
});
