import { dumpId, type StreamDump } from '../../src/records/dumps/stored-stream-dump.ts';
import { openContents } from '../../src/sources/open-contents.ts';
import { SQLITE } from '../support/each-store.ts';
import { StreamPlace } from '../support/stream-place.ts';
import { type ContentsUnderTest, type SourceUnderTest, testContents, testSource } from './source.ts';

describe('what organizations deliver', () => {
  let place: StreamPlace | undefined;
  afterEach(async () => {
    await place?.close();
    place = undefined;
  });

  async function open(slug: string) {
    place = await StreamPlace.make(SQLITE);
    await place.organizations.add('lane', { title: 'Lane Library', contacts: [] });
    await place.organizations.addStream('lane', 'main');
    const { stores, updater, artifacts, folder } = place;
    const set = await place.sets.bySlug(slug);
    return {
      ...{ set, updater, index: stores.index, source: await place.source(slug) },
      lose: ({ state }: Parameters<SourceUnderTest['lose']>[0]) => artifacts.delete(state.record!.artifact),
      contents: () => openContents({ kind: 'records', artifacts: { kind: 'folder', folder: `${folder}/artifacts` } }),
    };
  }

  async function records(slug: string): Promise<ContentsUnderTest> {
    const opened = await open(slug);
    const made = place!;
    let number = 0;
    return {
      ...opened,
      keyOf: (name) => `/${name}`,
      write: (name, content) => made.upload('lane--main', ++number, { [name]: content }),
      remove: (name) => made.upload('lane--main', ++number, { [name]: undefined }),
    };
  }
  for (const [title, slug] of [
    ['the records of a stream', 'lane--main'],
    ['the records of the default stream', 'lane'],
  ] as const) {
    testSource(title, () => records(slug));
    testContents(title, () => records(slug));
  }

  // The files of uploads have the same adapter. They never change, so they cannot do all that the suite does.
  testSource('the dump files of a stream', async () => {
    const opened = await open('lane.dumps');
    const { artifacts, stores } = place!;
    let stored = 0;
    const put = async (name: string, more: Partial<StreamDump>) => {
      const dump: StreamDump = {
        ...{ organization: 'lane', number: numberOf(name), kind: 'full', at: 1_700_000_000_000, until: 1 },
        ...{ set: 1, epoch: 1, totals: { records: 1, deletions: 0, errata: 0 }, files: [], token: 'x' },
        ...more,
      };
      const before = await stores.catalog.get('stream-dump', dumpId(dump));
      await stores.catalog.put('stream-dump', dumpId(dump), dump, before?.version);
    };
    return {
      ...opened,
      keyOf: (name) => `/00000000${numberOf(name)}/${name}`,
      async write(name, content) {
        const { key, length, hashes } = await artifacts.put(`files/${++stored}`, [Buffer.from(content)]);
        const file = { artifact: key, length, sha256: hashes['sha-256'] };
        await put(name, { files: [{ kind: 'marc21', name, mime: 'application/gzip', ...file }] });
      },
      remove: (name) => put(name, { removed: 1 }),
    };
  });
});

const numberOf = (name: string) => name.charCodeAt(0) - 'a'.charCodeAt(0) + 1;
