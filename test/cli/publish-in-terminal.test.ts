import assert from 'node:assert/strict';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { ask, NDJSON_BODY } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { CTRL_C, InTerminal, itInTerminal } from '../support/in-terminal.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

describe('tidemark publish in a terminal', () => {
  let place: Workplace;
  let files: string;
  let port: number;
  let running: InTerminal | undefined;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    files = join(place.folder, 'maps');
    mkdirSync(files);
    port = await findFreePort();
  });

  afterEach(async () => {
    running?.kill();
    await place.close();
  });

  itInTerminal('draws a bar in one line, and says below it that it stops', async () => {
    makeLargeFiles();
    running = publish();
    await running.says(/Scanning [█░]{20} \d+ of 100 files, .* hashed/);
    assert.equal(running.hasCursor, false);
    running.type(CTRL_C);

    assert.equal(await running.exit(), 0, running.text);
    assert.match(
      running.text,
      /Scanning [█░]+ \d+ of 100 files.*\n+stopping… press Ctrl-C again to stop at once\n+Stopped before everything was read/,
    );
    assert.equal(running.hasCursor, true);
    // A line that was cleared is not left behind.
    assert.doesNotMatch(lastLines(running), /Scanning.*\n.*Scanning/);
  });

  itInTerminal('removes the bar when everything was read', async () => {
    writeFileSync(join(files, 'a.txt'), 'a');
    running = publish();
    await running.says(/Ctrl-C stops/);

    assert.doesNotMatch(lastLines(running), /Scanning/);
    assert.equal(running.hasCursor, true);
    running.type(CTRL_C);
    assert.equal(await running.exit(), 0, running.text);
  });

  itInTerminal('writes above the bar what could not be published', async () => {
    makeLargeFiles();
    writeFileSync(join(files, '.tidemarkignore'), '');
    running = publish('--data', join(files, 'kept'));
    await running.says(/Left out, because Tidemark keeps its own files there: .*kept/);
    await running.says(/Scanning/);
    assert.match(lastLines(running), /Left out.*\n+(.*\n)*Scanning [^\n]*$/);
  });

  itInTerminal('ends with 130 at the second Ctrl-C, and gives the cursor back', async () => {
    await place.run(['sets', 'add', 'posted', '--url-prefix', 'https://maps.example.org/', '--port', String(port)]);
    makeLargeFiles();
    running = publish();
    await running.says(/Scanning/);
    const posting = await beginPosting();
    running.type(CTRL_C);
    await running.says(/stopping…/);
    // The server waits for the rest of what is posted.
    running.type(CTRL_C);

    assert.equal(await running.exit(), 130, running.text);
    assert.equal(running.hasCursor, true);
    posting.destroy();
  });

  function publish(...options: string[]): InTerminal {
    const args = ['publish', files, '--port', String(port), ...options];
    return new InTerminal(args, { cwd: place.folder, env: place.store.environment });
  }

  /** A stream of changes that is not ended. */
  async function beginPosting() {
    const server = `http://127.0.0.1:${port}`;
    await until('the server listens', () => ask(`${server}/healthz`).catch(() => undefined));
    const posting = request(`${server}/api/sets/posted/changes?results=all`, { method: 'POST', headers: NDJSON_BODY });
    posting.on('error', () => {});
    let isAnswered = false;
    posting.on('response', (response) => {
      response.on('error', () => {});
      response.on('data', () => {
        isAnswered = true;
      });
    });
    posting.write('{"location": {"value": "a", "type": "rel_path"}, "change": "created"}\n');
    await until('the first change is acknowledged', async () => isAnswered);
    return posting;
  }

  /** They take no room on the disk, and minutes to read. */
  function makeLargeFiles(): void {
    for (let at = 0; at < 100; at++) {
      writeFileSync(join(files, `large-${at}`), '');
      truncateSync(join(files, `large-${at}`), 1_000_000_000);
    }
  }
});

/** What a terminal shows: each line as it was drawn last. */
function lastLines({ raw }: InTerminal): string {
  return raw
    .split('\n')
    .map((line) => line.split('\u001b[K').at(-1)!)
    .join('\n')
    .replaceAll('\r', '');
}
