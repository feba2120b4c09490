import assert from 'node:assert/strict';
import { csvRow } from '../../src/lib/csv.ts';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { event, post } from '../support/web-source.ts';

const PREFIX = 'https://data.example.org/papers/';
const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';

describe('CSV', () => {
  let started: StartedApp;
  afterEach(closeApps);

  it('has a line for each resource, and one for each change', async () => {
    started = await startApp(SQLITE);
    await started.app.sets.add({ slug: 'papers', urlPrefix: PREFIX });
    await post(started, 'papers', [
      event('a,b"c', { length: 7, mime: 'text/plain', md5: MD5, lastmod: '2026-02-03T12:25:00Z' }),
      event('gone'),
      event('gone', { change: 'deleted' }),
    ]);
    const read = async (name: string) => {
      const { status, headers, text } = await ask(`${started.url}/api/sets/papers/${name}.csv`);
      assert.equal(status, 200);
      assert.equal(headers['content-type'], 'text/csv; charset=utf-8; header=present');
      assert.equal(headers['content-disposition'], `attachment; filename="papers-${name}.csv"`);
      return text.split('\r\n').map((line) => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:]+\.\d+Z/g, 'TIME'));
    };
    const state = `2026-02-03T12:25:00Z,7,text/plain,,,${MD5}`;
    assert.deepEqual(await read('resources'), [
      'uri,changed,created,lastmod,length,mime,sha-256,sha-1,md5',
      `"${PREFIX}a,b%22c",TIME,TIME,${state}`,
      '',
    ]);
    assert.deepEqual(await read('changes'), [
      'datetime,change,uri,lastmod,length,mime,sha-256,sha-1,md5',
      `TIME,created,"${PREFIX}a,b%22c",${state}`,
      `TIME,created,${PREFIX}gone,,,,,,`,
      `TIME,deleted,${PREFIX}gone,,,,,,`,
      '',
    ]);
  });
});

describe('A row of CSV', () => {
  it('has no cell that a spreadsheet runs as a formula, and no text that ends its cell', () => {
    const cells = ['=1+1', '+1', '-1', '@a', '\t=1', '\r=1', 'a"b', 'a\nb', 'a,b', '', undefined, -7];
    assert.equal(csvRow(cells), `'=1+1,'+1,'-1,'@a,'\t=1,"'\r=1","a""b","a\nb","a,b",,,-7\r\n`);
  });
});
