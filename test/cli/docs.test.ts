import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { type StandInPlatforms, startPlatforms } from '../support/dataset-platforms.ts';
import { DocPlace, shellBlocks } from '../support/doc-place.ts';
import { itNeeding } from '../support/it-needing.ts';
import { keptVersions, sha256 } from '../support/kept-versions.ts';
import { OaiServer, oaiRecords } from '../support/oai-server.ts';
import { findReferenceClient } from '../support/reference-client.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';

const CHECKOUT = join(import.meta.dirname, '../..');

/**
 * What is done with a block: it runs to its end with an exit code, or until a document then has some texts, or it
 * serves from then on; or why it does not run here.
 */
type How =
  | 'runs'
  | 'serves'
  | { readonly exits: number }
  | { readonly document: string; readonly has: readonly string[] }
  | { readonly not: string };

interface Page {
  readonly blocks: readonly How[];
  /** Texts in its commands that mean something on the reader's machine, and what a shell replaces them with here. */
  readonly names?: Readonly<Record<string, string>>;
  prepare?(place: DocPlace): Promise<unknown> | unknown;
  /** After all blocks. */
  check?(place: DocPlace): Promise<unknown> | unknown;
}

const NEEDS = {
  follower: { not: 'follows until Ctrl-C; test/cli/mirror-follow.test.ts does' },
  ci: { not: 'is what .ci/run does' },
  elasticsearch: { not: 'names a server of the reader; test/contract and test/fault run on Elasticsearch' },
  import: { not: 'names an index of the reader; test/cli/import-index.test.ts takes one over' },
  docker: { not: 'needs Docker; test/unit/project/compose.test.ts reads its file' },
  kubernetes: { not: 'needs a cluster; test/unit/project/kubernetes.test.ts makes the manifests and reads them' },
  proxy: { not: 'serves under a public name; test/interop/base-url.test.ts does it behind a proxy' },
  archive: { not: 'needs an archive and an empty store; test/cli/archive.test.ts has them' },
  nsdl: { not: 'names a folder and a repository of the reader; test/cli/nsdl.test.ts has both' },
  s3: { not: 'names a bucket of the reader; test/cli/s3.test.ts publishes one' },
} as const satisfies Record<string, How>;

const addPapers = (place: DocPlace) =>
  succeed(place, 'tidemark sets add papers --url-prefix https://papers.example.org/items/');
/** Names of pages, with the address of an OAI-PMH repository, which is known when it was started. */
const OAI_NAMES: Record<string, string> = {};
let repository: OaiServer | undefined;
const serveRepository = async () => {
  repository = await OaiServer.start({ records: oaiRecords(5), pageSize: 2 });
  OAI_NAMES['https://oai.example.org/oai'] = repository.url;
};
/** DOIs of pages, in the same way. */
const DATASET_NAMES: Record<string, string> = {};
/** Of all tutorials. */
const TUTORIAL_NAMES: Record<string, string> = {};
let platforms: StandInPlatforms | undefined;
const servePlatforms = async () => {
  platforms = await startPlatforms();
  const files = [{ name: 'a.csv' }, { name: 'b.csv' }];
  const dataset = platforms.add({ platform: 'dataverse', files });
  DATASET_NAMES['https://doi.org/10.7910/DVN/CLSFKX'] = dataset;
  DATASET_NAMES['doi:10.7910/DVN/CLSFKX'] = dataset;
  DATASET_NAMES['doi:10.5281/zenodo.1234567'] = platforms.add({ platform: 'zenodo', id: '1234567', files });
  return dataset;
};
/** The day is that of the command: midnight may pass while a page runs. */
const TODAY = '$(date --utc +%F)';

const PAGES: Readonly<Record<string, Page>> = {
  'README.md': {
    blocks: [
      'serves',
      NEEDS.follower,
      'runs',
      'serves',
      'runs',
      NEEDS.proxy,
      NEEDS.elasticsearch,
      NEEDS.docker,
      NEEDS.ci,
    ],
    names: { FOLDER: 'charts', '/SET/': '/charts/' },
    async prepare(place) {
      place.write('charts/north.txt', 'north');
      // Public sets besides the one that is copied.
      await addPapers(place);
    },
    async check(place) {
      assert.equal(readFileSync(join(place.folder, 'another-copy/north.txt'), 'utf8'), 'north');
      assert.match(await text(`${place.url}/sets/maps/changelist.xml`), /a\.tif/);
    },
  },
  'docs/tutorial.md': {
    blocks: [
      { not: 'the place has the command in its PATH' },
      'runs',
      'serves',
      'runs',
      'runs',
      // The client is not to come before the changes are noticed.
      {
        document: '/sets/maps/changelist-recent.xml',
        has: ['change="updated"', 'river.txt', 'change="deleted"'],
      },
      'runs',
      'runs',
      'runs',
      { not: 'names a server of the reader' },
      ...(['runs', 'serves', 'runs', 'runs'] as const),
      { document: '/sets/lane/resourcelist.xml', has: ['resources/4<'] },
      ...(['runs', NEEDS.follower, 'runs', 'runs', 'runs'] as const),
      ...(['runs', 'runs', 'runs', 'runs'] as const),
      { document: '/sets/preprints-index/resourcelist.xml', has: ['oai:example.org:5'] },
      NEEDS.elasticsearch,
      ...(['runs', 'runs', 'runs'] as const),
      { document: '/sets/datasets/resourcelist.xml', has: ['/1234567/'] },
    ],
    names: TUTORIAL_NAMES,
    async prepare(place) {
      await serveRepository();
      await servePlatforms();
      Object.assign(TUTORIAL_NAMES, OAI_NAMES, DATASET_NAMES);
      place.write('preprints.json', jsonBlocks('docs/tutorial.md')[0]!);
      place.write('full.mrc', [1, 2, 3].map((id) => marc(`${id}`).toString('latin1')).join(''));
      place.write('night.mrc', marc('4').toString('latin1'));
      place.write('deleted.txt', '1\n');
      await addPapers(place);
    },
    check(place) {
      const names = readdirSync(join(place.folder, 'copy'), { recursive: true });
      assert.deepEqual(names.sort(), ['city', 'harbour.txt', 'river.txt']);
      const records = readdirSync(join(place.folder, 'records')).filter((name) => !name.startsWith('.'));
      assert.deepEqual(records.sort(), ['2', '3', '4']);
    },
  },
  'docs/access.md': {
    blocks: [
      'runs',
      'runs',
      { not: 'needs a server with --api-roots; test/http/sets-api.test.ts has one' },
      'runs',
      'runs',
      { not: 'needs the token that it prints; test/http/datasets.test.ts has one' },
    ],
    names: {
      'https://sync.example.org': 'http://localhost:8080',
      '/srv/': 'srv/',
      'tidemark tokens revoke 3f9c01a2b4d6': 'true',
    },
    async prepare(place) {
      place.write('srv/drafts/a.txt', 'a');
      await addPapers(place);
      await place.serve('tidemark serve');
      await succeed(place, 'tidemark tokens create --name any --scope read:papers > token.txt');
      await succeed(place, 'tidemark organizations add lane');
    },
  },
  'docs/artifacts.md': {
    // One record of four has no title, as the page says.
    blocks: [
      'runs',
      { exits: 1 },
      'runs',
      NEEDS.elasticsearch,
      { exits: 1 },
      'runs',
      'runs',
      'runs',
      { not: 'test/interop/avro.test.ts runs avro-tools' },
    ],
    names: {
      '--plan maps/plan/20261122_000322': '--plan "maps/plan/$(ls data/artifacts/maps/plan | head -n 1)"',
      'at 2026-11-22': `at ${TODAY}`,
      'at 2017-02-09 --activity mapping': `at ${TODAY} --activity mapping`,
      'organizations add cdl --private': 'organizations show cdl',
      ' KEY': ' "$(tidemark artifacts latest --activity mapping --provider cdl)"',
    },
    async prepare(place) {
      const [records, mapping] = jsonBlocks('docs/artifacts.md');
      place.write('records.ndjson', records!);
      place.write('mapping.json', mapping!);
      await succeed(place, 'tidemark organizations add lane && tidemark streams add lane main');
      place.write('cdl.ndjson', '{"id":"a","mimetype":"application/json","document":"{\\"edm:aggregatedCHO\\":{}}"}\n');
      await succeed(place, 'tidemark activity run harvest cdl --from cdl.ndjson --source https://cdl.example.org/oai');
      await succeed(place, 'tidemark activity run mapping cdl');
      await succeed(place, 'tidemark activity run indexing cdl');
    },
  },
  'docs/configuration.md': { blocks: [NEEDS.elasticsearch] },
  'docs/datasets.md': {
    blocks: ['runs', 'runs', { not: 'names services of others; test/datasets/remote-ingest.test.ts has some' }, 'runs'],
    names: DATASET_NAMES,
    async prepare(place) {
      const base_url = await servePlatforms();
      place.write('requests.jsonl', `${JSON.stringify({ ingest_type: 'dataset', base_url })}\n`);
      place.write('releases.jsonl', '{"release_type":"dataset","ext_ids":{"doi":"10.5072/abc"}}\n');
    },
  },
  'docs/dumps.md': {
    blocks: ['runs', 'runs', 'runs', 'runs', 'runs'],
    names: { 'tidemark sets add maps --root files --keep-versions': 'tidemark sets show maps' },
    async prepare(place) {
      place.write('maps/city/a.tif', 'a');
      await succeed(place, 'tidemark sets add maps --root maps');
      await succeed(place, 'tidemark scan maps');
    },
    async check(place) {
      const artifacts = openArtifacts({ kind: 'folder', folder: join(place.folder, 'data/artifacts') });
      const versions = await keptVersions(artifacts).finally(() => artifacts.close());
      assert.deepEqual(
        versions.map(({ digest }) => digest),
        [sha256('a')],
      );
    },
  },
  'docs/harvests.md': { blocks: ['runs', 'runs'], names: OAI_NAMES, prepare: serveRepository },
  'docs/http-api.md': { blocks: [{ not: 'names a server of the reader; test/http/datasets.test.ts has one' }] },
  'docs/links.md': {
    blocks: ['runs'],
    prepare: async (place) => place.write('scans/a.tif', 'a'),
  },
  'docs/monitoring.md': { blocks: ['runs'], prepare: addPapers },
  'docs/notifications.md': {
    blocks: [
      { not: 'does not end; test/http/change-stream.test.ts reads streams' },
      { not: 'serves with settings; test/fault/notifications.test.ts does' },
      { not: 'needs a subscriber; test/http/notifications.test.ts has some' },
      { not: 'needs a subscription; test/fault/notifications.test.ts lists and removes one' },
    ],
  },
  'docs/nsdl.md': { blocks: [NEEDS.nsdl, NEEDS.nsdl] },
  'docs/operating.md': {
    blocks: [
      { not: 'makes the package; test/cli/package.test.ts does' },
      { not: 'installs for the whole machine; test/cli/package.test.ts runs the package' },
      { not: 'needs systemd; test/unit/project/systemd.test.ts reads the units' },
      { not: 'needs the service; test/unit/project/systemd.test.ts runs the script' },
      NEEDS.docker,
      { not: 'needs systemd; test/cli/shared-port.test.ts starts two servers on one port' },
      NEEDS.kubernetes,
      NEEDS.kubernetes,
      NEEDS.kubernetes,
      'runs',
      'runs',
      NEEDS.archive,
      { not: 'serves with settings; test/backup/scheduled-backups.test.ts makes such backups' },
      'runs',
      'runs',
      'runs',
    ],
    names: { '/backup/': 'backup/', '2026-11-20': '*', 'https://search.example.org:9200': 'sqlite:grown.db' },
    async prepare(place) {
      place.write('backup/.keep', '');
      place.write('maps/a.txt', 'a');
      await succeed(place, 'tidemark sets add maps --root maps');
      await succeed(place, 'tidemark scan maps');
    },
  },
  'test/README.md': { blocks: [{ not: 'runs the tests' }, { not: 'takes minutes' }] },
  'docs/performance.md': { blocks: [{ not: 'takes half an hour' }] },
  'docs/posting-changes.md': {
    blocks: ['runs', 'runs', NEEDS.import, NEEDS.import, NEEDS.import, NEEDS.import],
    async prepare(place) {
      await addPapers(place);
      place.write('events.ndjson', '{"location":{"value":"c.pdf","type":"rel_path"},"change":"created"}\n');
      await place.serve('tidemark serve');
    },
    async check(place) {
      const list = await text(`${place.url}/sets/papers/resourcelist.xml`);
      assert.match(list, /2026\/a\.pdf(.|\n)*c\.pdf/);
    },
  },
  'docs/streams.md': {
    blocks: Array(11).fill('runs'),
    names: { 'lane/main/17': 'lane/full-2026/1' },
    async prepare(place) {
      place.write('all.mrc', marc('3').toString('latin1'));
      place.write('nightly.mrc', marc('1').toString('latin1'));
      place.write('deleted.txt', '1\n');
      await succeed(place, 'zip --quiet export.zip deleted.txt');
      place.write('new.mrc', marc('2').toString('latin1'));
      await addPapers(place);
      await place.serve('tidemark serve');
    },
  },
  'docs/validator.md': {
    blocks: ['runs'],
    async prepare(place) {
      place.write('maps/a.txt', 'a');
      place.write('resourcelist.xml', RESOURCE_LIST);
      await succeed(place, 'tidemark sets add maps --root maps');
      await succeed(place, 'tidemark scan maps');
      await place.serve('tidemark serve');
    },
  },
  'docs/mirror.md': {
    blocks: [
      NEEDS.follower,
      { not: 'names a bucket of the reader; test/cli/mirror-s3.test.ts has one' },
      { not: 'needs sqlite3' },
      { not: 'copies a source of the reader; test/cli/sets-from.test.ts has one' },
    ],
  },
  'docs/s3.md': { blocks: [NEEDS.s3, { not: 'sets up MinIO' }, { not: 'sets up Ceph' }] },
};

/** A document by itself, of no source. */
const RESOURCE_LIST = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">
<rs:ln rel="up" href="https://example.org/capabilitylist.xml"/>
<rs:md capability="resourcelist" at="2026-03-01T09:00:00Z"/>
<url><loc>https://example.org/a.txt</loc></url>
</urlset>
`;

describe('The commands of README and docs', function () {
  this.timeout(600_000);
  let place: DocPlace;
  afterEach(async () => {
    await place?.dispose();
    await repository?.close();
    await platforms?.close();
    repository = undefined;
    platforms = undefined;
  });

  it('are all known here, page by page', () => {
    const docs = readdirSync(join(CHECKOUT, 'docs'), { recursive: true, encoding: 'utf8' });
    const pages = ['README.md', 'test/README.md', ...docs.map((name) => `docs/${name}`)];
    const counts = pages
      .filter((name) => name.endsWith('.md'))
      .map((page) => [page, shellBlocks(page).length] as const);
    assert.deepEqual(
      Object.fromEntries(counts.filter(([, count]) => count > 0).sort()),
      Object.fromEntries(
        Object.entries(PAGES)
          .map(([page, { blocks }]) => [page, blocks.length] as const)
          .sort(),
      ),
    );
  });

  for (const [page, how] of Object.entries(PAGES)) {
    if (how.blocks.every((block) => typeof block === 'object' && 'not' in block)) continue;
    itNeeding({ name: 'docs', missing: missingFor(page) }, `run: ${page}`, async () => {
      // What only a process shows is seen on the first page.
      place = await DocPlace.make(page === 'README.md');
      await how.prepare?.(place);
      for (const [at, block] of shellBlocks(page).entries())
        await perform(place, block, { ...how, how: how.blocks[at]! });
      await how.check?.(place);
    });
  }
});

async function perform(
  place: DocPlace,
  block: string,
  { names = {}, how }: Pick<Page, 'names'> & { how: How },
): Promise<void> {
  if (typeof how === 'object' && 'not' in how) return;
  let commands = block;
  for (const [name, value] of Object.entries(names)) commands = commands.replaceAll(name, value);
  commands = commands.replaceAll('http://localhost:8080', place.url);
  if (how === 'serves') return place.serve(commands);
  // A token that an earlier block has written.
  const { exitCode, output } = await place.run(`TOKEN=$(cat token.txt 2>/dev/null || true)\n${commands}`);
  assert.equal(exitCode, typeof how === 'object' && 'exits' in how ? how.exits : 0, `${commands}\n${output}`);
  assert.doesNotMatch(output, /FatalError/, commands);
  if (typeof how !== 'object' || !('document' in how)) return;
  await until(`${how.document} has ${how.has.join(', ')}`, async () => {
    const document = await text(`${place.url}${how.document}`);
    return how.has.every((part) => document.includes(part));
  });
}

async function succeed(place: DocPlace, commands: string): Promise<void> {
  const { exitCode, output } = await place.run(commands);
  assert.equal(exitCode, 0, `${commands}\n${output}`);
}

async function text(url: string): Promise<string> {
  return (await fetch(url)).text();
}

function jsonBlocks(page: string): readonly string[] {
  const all = readFileSync(join(CHECKOUT, page), 'utf8');
  return [...all.matchAll(/^```json\n(.*?)^```$/gms)].map(([, block]) => block!);
}

function missingFor(page: string): string | undefined {
  const usesClient = shellBlocks(page).some((block) => block.includes('resync-sync'));
  if (usesClient && findReferenceClient() === undefined) return 'needs resync-sync: pip install resync==2.0.1';
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'needs curl';
  }
}
