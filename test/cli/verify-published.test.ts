import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BODY_ENDING, type DocumentRecord } from '../../src/publish/cache/document-files.ts';
import { openStores } from '../../src/stores/open-stores.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import type { FinishedRun } from '../support/run-tidemark.ts';
import { tamper } from '../support/tampering.ts';
import { Workplace } from '../support/workplace.ts';

const PREFIX = 'https://example.org/s/';

describeOnEachStore('tidemark verify --published', (store, itOnce) => {
  let place: Workplace;
  /** What the last resources that were posted have. */
  let length: number;
  let documents: number;

  beforeEach(async () => {
    place = await Workplace.make(store);
    length = 0;
    await done(`sets add s --url-prefix ${PREFIX} --page-size 2 --window-size 3`);
    await post('a', 'b', 'c', 'd', 'e');
    const { stdout, exitCode } = await verify();
    // Among them the Source Description and the Capability List, an index of three pages, one of two windows, and the
    // recent changes.
    documents = Number(
      /^s: no difference in 5 changes, 5 resources, 0 tombstones, (\d+) documents\.\n$/.exec(stdout)?.[1],
    );
    assert.ok(documents >= 10, stdout);
    assert.equal(exitCode, 0);
  });

  afterEach(() => place.close());

  it('compares also documents that are made of their older versions', async () => {
    await post('b', 'f', 'c');

    const { published, equal } = JSON.parse((await verify('--json')).stdout);
    assert.deepEqual(published, { documents: documents + 1, unsettled: 0, resources: 6, changes: 8 });
    assert.equal(equal, true);
  });

  itOnce('finds a page that has lost a resource', async () => {
    await change('resourcelist-1-00000002', (text) => text.replace(/<url><loc>[^<]*\/c<.*\n/, ''));

    await finds(
      /^document: resourcelist-1-00000002\.xml: line \d+ is "<url><loc>.*\/d.*, and by the store "<url><loc>.*\/c</m,
      /^missing: \/c is in the state, and in no page/m,
    );
  });

  itOnce('names pages that differ to page refresh, which renders them and no other anew', async () => {
    await change('resourcelist-1-00000002', (text) => text.replace(/<url><loc>[^<]*\/c<.*\n/, ''));
    await change('capabilitylist', (text) => text.replace(/<url>\n.*\n.*\n.*\n/, ''));

    const { stdout, stderr } = await place.run(['page', 'refresh', 's', '--all-that-differ']);
    assert.match(stdout, /^Rendered page 1-00000002 of s anew: 2 entries\.\n$/);
    assert.match(stderr, /1 other document differs/);
    const { differences } = JSON.parse((await verify('--json')).stdout);
    assert.deepEqual(differences.byKind, { document: 1 });
    const again = await place.run(['page', 'refresh', 's', '--all-that-differ']);
    assert.match(again.stdout, /^No page of s differs from the store\.\n$/);
  });

  itOnce('finds a page that lists a resource twice, and one that is not there', async () => {
    await change('resourcelist-1-00000002', (text) => text.replace(/<url>.*\n/, (entry) => entry + entry));
    await change('resourcelist-1-00000003', (text) => text.replace(/<url>.*\n/, (e) => e + e.replace('/e<', '/x<')));

    await finds(
      /^extra: resourcelist-1-00000002\.xml: \/c .* is listed twice/m,
      /^extra: resourcelist-1-00000003\.xml: \/x .* is not in the state/m,
    );
  });

  itOnce('finds a resource that is listed otherwise than it is', async () => {
    await tamper(place.store.location, {
      sql: `UPDATE resources SET state = '{"length":9}' WHERE key = '/a'`,
    });

    await finds(/^document: resourcelist-1-00000001\.xml: line 6 is .*length=\\"1\\".*length=\\"9\\"/m);
  });

  itOnce('finds a window that has lost a change, and one that has another', async () => {
    await change('changelist-1-00000001-closed', (text) => text.replace(/<url>.*\n/, ''));
    await change('changelist-1-00000002', (text) => text.replace('change="created"', 'change="updated"'));

    await finds(
      /^document: changelist-1-00000001\.xml: line/m,
      /^missing: \/a its change of .* \(created\) is in the log, and in no Change List/m,
      /^extra: changelist-1-00000002\.xml: the change of https:.*\/d of .* \(updated\) is listed, and is not in the log/m,
    );
  });

  itOnce('finds an index, a Capability List and a Source Description with other entries', async () => {
    await change('resourcelist', (text) => text.replace(/<sitemap>.*\n/, ''));
    await change('capabilitylist', (text) => text.replace(/<url>\n.*\n.*\n.*\n/, ''));
    await change('resourcesync', (text) => text.replace(/<url>.*\n/, ''), 'source');

    await finds(
      /^document: resourcelist\.xml: /m,
      /^missing: \/a /m,
      /^document: capabilitylist\.xml: /m,
      /^document: the Source Description: .* lists .* 0 times instead of 1/m,
    );
  });

  itOnce('finds a URI that no client can fetch, which an earlier version has accepted', async () => {
    const { index, close } = await openStores(place.store.location);
    await index.commit([{ set: 1, key: 'urn:isbn:0451450523', state: {}, weight: 500 }]).finally(close);

    await finds(/^uri: resourcelist-1-00000003\.xml: urn:isbn:0451450523 is not an http or https URI/m);
  });

  async function finds(...differences: readonly RegExp[]): Promise<void> {
    const { stdout, exitCode } = await verify();
    for (const difference of differences) assert.match(stdout, difference);
    assert.match(stdout, /^s: \d+ differences? in /m);
    assert.equal(exitCode, 1);
  }

  /** Gives a document that is kept other contents, with a record that fits them. */
  async function change(name: string, edit: (text: string) => string, of = '1'): Promise<void> {
    const folder = join(place.folder, 'data', 'documents', of);
    const file = (await readdir(folder)).find((each) => each.startsWith(`${name}@`));
    assert.ok(file !== undefined, `${name} is not kept`);
    const record: DocumentRecord = JSON.parse(await readFile(join(folder, file), 'utf8'));
    const body = join(folder, record.body + BODY_ENDING);
    const before = gunzipSync(await readFile(body)).toString();
    const text = edit(before);
    assert.notEqual(text, before);
    const packed = gzipSync(text);
    await writeFile(body, packed);
    const digest = createHash('sha256').update(text).digest('base64url');
    const lengths = { identity: Buffer.byteLength(text), gzip: packed.length };
    await writeFile(join(folder, file), JSON.stringify({ ...record, digest, lengths }));
  }

  async function post(...names: readonly string[]): Promise<void> {
    length += 1;
    const lines = names.map((value) =>
      JSON.stringify({ location: { value, type: 'rel_path' }, change: 'updated', length }),
    );
    const { exitCode, stderr } = await place.run(['changes', 'post', 's', '-'], { input: lines.join('\n') });
    assert.equal(exitCode, 0, stderr);
  }

  function verify(...options: readonly string[]): Promise<FinishedRun> {
    return place.run(['verify', 's', '--published', ...options]);
  }

  async function done(args: string): Promise<void> {
    const { exitCode, stderr } = await place.run(args.split(' '));
    assert.equal(exitCode, 0, stderr);
  }
});
