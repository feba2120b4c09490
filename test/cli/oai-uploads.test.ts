import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { dc, deleted, documentsOf, page, record } from '../support/oai-pages.ts';
import type { RunningTidemark } from '../support/run-tidemark.ts';
import { until } from '../support/until.ts';
import { tar } from '../support/upload-packages.ts';
import { Workplace } from '../support/workplace.ts';

const FIRST = page(record('oai:x:1') + record('oai:x:a/b, c', { specs: ['s'] }) + record('oai:x:3'));
const SECOND = page(`${deleted('oai:x:3')}${record('oai:x:4', { datestamp: 'no' })}`);

describe('Uploads of responses of OAI-PMH', () => {
  let place: Workplace;
  let serving: RunningTidemark | undefined;
  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
  });
  afterEach(async () => {
    serving?.signal('SIGTERM');
    await serving?.exit();
    serving = undefined;
    await place.close();
  });

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run(args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };

  it('become records, which are served as they are stored, as their metadata alone, and in dumps', async () => {
    const port = String(await findFreePort());
    await done('organizations', 'add', 'lane', '--port', port);
    const pages = tar({ '000001.xml.gz': gzipSync(FIRST), '000002.xml.gz': gzipSync(SECOND) });
    await writeFile(join(place.folder, 'pages.tar'), pages);
    serving = place.start(['serve', '--port', port, '--access-log', 'false']);
    await serving.says(/Serving \d+ sets/);
    await done('upload', 'lane', 'pages.tar');
    await until('both records are there', async () => {
      const { resources } = JSON.parse(await done('sets', 'show', 'lane', '--json'));
      return resources === 2;
    });
    const [, stored] = await documentsOf(FIRST);
    const get = (path: string, accept = '*/*') =>
      ask(`http://localhost:${port}/sets/lane/resources/${path}`, { headers: { Accept: accept } });
    const key = 'oai:x:a%2Fb,%20c';
    for (const path of [key, `${key}.xml`]) {
      const { status, headers, text } = await get(path, 'application/xml');
      assert.deepEqual([status, headers['content-type'], text], [200, 'application/xml', stored!.toString()], path);
    }
    const metadata = await get(`${key}.metadata.xml`);
    assert.match(metadata.text, /^<\?xml version="1.0" encoding="UTF-8"\?>\n<oai_dc:dc .*<\/oai_dc:dc>\n$/);
    assert.equal((await get('oai:x:3')).status, 404);
    const errors = await done('uploads', 'errors', 'lane/main/1');
    assert.match(errors, /oai:x:4.*its datestamp is "no"/s);

    await done('streams', 'dump', 'lane', '--full');
    const uri = await until('the dump is published', async () => {
      const [dump] = JSON.parse(await done('streams', 'dumps', 'lane', '--json')).dumps;
      return dump.files.find(({ kind }: { kind: string }) => kind === 'oai').uri;
    });
    const { bytes } = await ask(uri);
    const dumped = await documentsOf(gunzipSync(bytes));
    assert.deepEqual(dumped.map(String).sort(), (await documentsOf(FIRST)).slice(0, 2).map(String).sort());
    await done('verify', 'lane--main', '--root');
  });

  it('are checked before, and written as what is read of them', async () => {
    await writeFile(
      join(place.folder, 'page.xml'),
      page(record('1') + record('2').replace('</dc:title>', '&nbsp;</dc:title>')),
    );
    const { exitCode, stdout } = await place.run(['uploads', 'check', 'page.xml', '--normalized', 'out']);
    assert.equal(exitCode, 1);
    assert.match(stdout, /page\.xml +OAI-PMH +1 +0 +1/);
    assert.match(stdout, /the record "2" cannot be read: it is not well-formed XML at byte \d+: undefined entity/);
    const [name] = await readdir(join(place.folder, 'out'));
    const [written] = await documentsOf(await readFile(join(place.folder, 'out', name!)));
    assert.ok(written!.includes(dc('1').slice(-30)));
  });
});
