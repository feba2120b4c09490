import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { DUMPED, DumpedStream, numbersTo } from '../support/dumped-stream.ts';
import { SQLITE } from '../support/each-store.ts';
import { itWithMarcPrograms, runPymarc, runYazMarcdump } from '../support/marc-programs.ts';
import { closeApps, startApp } from '../support/start-app.ts';

const run = promisify(execFile);
/** More than one part of each file, which are compressed by themselves. */
const RECORDS = 1_500;

describe('Dumps of a stream for other programs', () => {
  afterEach(closeApps);

  itWithMarcPrograms('gunzip, yaz-marcdump and pymarc read the same records from both files', async () => {
    const { app, folder } = await startApp(SQLITE);
    await DumpedStream.make(app);
    const stream = new DumpedStream(app, folder);
    await stream.put(numbersTo(RECORDS));
    const [full] = await app.records.streamDumps.build(DUMPED, 'full');
    const paths: string[] = [];
    for (const file of full!.files) {
      const path = join(folder, file.name);
      writeFileSync(path, await buffer(await app.records.streamDumps.open(file)));
      await run('gunzip', ['-t', path]);
      await run('gunzip', ['-k', path]);
      const unpacked = path.replace(/\.gz$/, '');
      // Python's gzip reads it as a stream; Node's has done so in whole.
      assert.ok(gunzipSync(readFileSync(path)).equals(readFileSync(unpacked)));
      paths.push(unpacked);
    }
    const [marc21 = '', marcxml = ''] = paths;
    assert.equal(sha256(await runYazMarcdump('-i', 'marc', '-o', 'marc', marc21)), sha256(readFileSync(marc21)));
    const fromXml = await runYazMarcdump('-i', 'marcxml', '-o', 'marc', marcxml);
    assert.equal(sha256(fromXml), sha256(readFileSync(marc21)));

    const read = await runPymarc({ convert: [], list: paths });
    assert.equal(read[marc21]!.length, RECORDS);
    const withoutLeader = (name: string) => read[name]!.map(([, fields]) => fields);
    assert.deepEqual(withoutLeader(marcxml), withoutLeader(marc21));
  });
});

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
