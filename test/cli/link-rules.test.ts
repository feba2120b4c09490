import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { jsonLines } from '../support/json-lines.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

describe('Rules of links on the command line', () => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    mkdirSync(join(place.folder, 'files'));
    for (const name of ['a.tif', 'a.xml', 'b.tif']) writeFileSync(join(place.folder, 'files', name), name);
  });
  afterEach(() => place.close());

  async function links(): Promise<readonly string[]> {
    const { stdout } = await place.run(['changes', 'list', 'files', '--json']);
    const events = jsonLines(stdout);
    return events.map(({ change, location, ln = [] }) => {
      return [change, location.value, ...ln.map(({ rel }: { rel: string }) => rel)].join(' ');
    });
  }

  it('are added, changed and removed, and each change is published', async () => {
    await place.run(['sets', 'add', 'files', '--root', 'files', '--link', '*.xml describes *.tif']);
    const dry = await place.run(['scan', 'files', '--dry-run']);
    assert.match(dry.stdout, /3 created/);
    await place.run(['scan', 'files']);
    const created = ['created a.tif describedby', 'created a.xml describes', 'created b.tif'];
    // Files that are read at the same time are recorded in any order.
    assert.deepEqual((await links()).toSorted(), created);

    const rules = ['--link', 'collection https://example.org/all', '--link', '*.tif describedby *.xml'];
    assert.equal((await place.run(['sets', 'change', 'files', ...rules])).exitCode, 0);
    await place.run(['scan', 'files']);
    assert.deepEqual((await links()).slice(3).toSorted(), [
      'updated a.tif collection describedby',
      'updated a.xml collection describes',
      'updated b.tif collection',
    ]);
    const again = await place.run(['scan', 'files', '--rehash', '--dry-run']);
    assert.match(again.stdout, /0 created, 0 updated, 0 deleted/);

    await place.run(['sets', 'change', 'files', '--link', '']);
    await place.run(['scan', 'files']);
    assert.deepEqual((await links()).slice(6).toSorted(), ['updated a.tif', 'updated a.xml', 'updated b.tif']);
    const { stdout } = await place.run(['sets', 'show', 'files', '--json']);
    assert.deepEqual(JSON.parse(stdout).links ?? [], []);
  });

  it('are followed by a running server, and so are files that come and go', async () => {
    await place.run(['sets', 'add', 'files', '--root', 'files']);
    const port = await findFreePort();
    const env = { TIDEMARK_PORT: String(port), TIDEMARK_BASE_URL: `http://127.0.0.1:${port}` };
    const server = place.start(['serve'], { env });
    await server.says(/listening|serving/i);
    const listed = async (pattern: RegExp) => {
      const { status, text } = await ask(`http://127.0.0.1:${port}/sets/files/resourcelist.xml`);
      return status === 200 && pattern.test(text);
    };
    await until('the set is listed', () => listed(/b\.tif/));
    await place.run(['sets', 'change', 'files', '--link', '*.xml describes *.tif'], { env });
    await until('there are links', () => listed(/a\.tif.*describedby.*a\.xml/));
    writeFileSync(join(place.folder, 'files/b.xml'), 'b.xml');
    await until('there is another link', () => listed(/b\.tif.*describedby.*b\.xml/));
    rmSync(join(place.folder, 'files/b.xml'));
    await until('it was deleted', () => listed(/b\.tif<\/loc><lastmod>[^<]*<\/lastmod><rs:md [^>]*\/><\/url>/));
  });

  it('are refused for a set without files, and when they are wrong', async () => {
    const rule = ['--link', '*.xml describes *.tif'];
    const posted = await place.run(['sets', 'add', 'posted', '--url-prefix', 'https://example.org/', ...rule]);
    assert.notEqual(posted.exitCode, 0);
    assert.match(posted.stderr, /--link goes with a root/);
    const records = await place.run(['sets', 'add', 'records', '--records', 'nsdl/harvest', ...rule]);
    assert.equal(records.exitCode, 2);
    assert.match(records.stderr, /--link is for files: a set of records takes no rules/);
    const wrong = await place.run(['sets', 'add', 'files', '--root', 'files', '--link', '*.xml about *.tif']);
    assert.match(wrong.stderr, /link rule "\*\.xml about \*\.tif", character 7: "about" is not a relation/);
  });
});
