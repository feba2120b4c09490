import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { GatheringLogOutput, LogOutput } from '../../../src/observe/logs/log-output.ts';
import { until } from '../../support/until.ts';

const LINE = `${JSON.stringify({ msg: 'x'.repeat(998) })}\n`;

describe('The output of a log', () => {
  let folder: string;
  /** Both ends of a pipe that has room for 64 kB. Writing to it does not wait for a reader. */
  let pipe: number;
  let full: number;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    const path = join(folder, 'pipe');
    execFileSync('mkfifo', [path]);
    pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    full = openSync('/dev/full', 'w');
  });
  afterEach(async () => {
    closeSync(pipe);
    closeSync(full);
    await rm(folder, { recursive: true });
  });

  /** What is in the pipe now. */
  function read(): string {
    const buffer = Buffer.alloc(1_000_000);
    try {
      return buffer.toString('utf8', 0, readSync(pipe, buffer));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
      return '';
    }
  }

  /** Reads until the text is long enough, and then what is left. */
  async function readAll(isEnough: (text: string) => boolean): Promise<string> {
    let text = '';
    while (!isEnough(text)) {
      text += read();
      await wait(1);
    }
    return text + read();
  }

  const messagesOf = (text: string) =>
    text.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line).msg];
      } catch {
        return [];
      }
    });

  it('loses lines while it cannot be written, and says how many when it can', () => {
    const output = new LogOutput(pipe);
    for (let line = 0; line < 100; line++) output.write(LINE);
    const before = messagesOf(read()).length;
    assert.ok(before > 50 && before < 70, String(before));
    output.write(LINE);
    output.write(LINE);
    const [notice, ...lines] = messagesOf(read());
    assert.equal(
      notice,
      `${100 - before} lines of this log could not be written: EAGAIN: resource temporarily unavailable, write`,
    );
    assert.equal(lines.length, 2);
  });

  it('does not throw on a full disk', () => {
    const output = new LogOutput(full);
    output.write(LINE);
    output.write(LINE);
  });

  it('that gathers lines waits for a slow reader without delaying the process', async () => {
    const output = new GatheringLogOutput(pipe);
    for (let line = 0; line < 1_000; line++) output.write(LINE);
    assert.equal((await readAll((text) => text.length === 1_000 * LINE.length)).length, 1_000 * LINE.length);
    output.close();
  });

  it('that gathers lines keeps a limited number of them', async () => {
    const output = new GatheringLogOutput(pipe);
    for (let line = 0; line < 5_000; line++) output.write(LINE);
    const lostIn = (text: string) => Number(/(\d+) lines of this log could not be written/.exec(text)?.[1]);
    const text = await readAll((text) => Math.floor(text.length / LINE.length) + lostIn(text) === 5_000);
    assert.ok(lostIn(text) > 500);
    output.close();
  });

  it('that gathers lines goes on, and can be closed, on a full disk', async () => {
    const output = new GatheringLogOutput(full);
    for (let line = 0; line < 100; line++) output.write(LINE);
    output.close();
  });

  it('that gathers lines writes them soon, and the rest when it is closed', async () => {
    const output = new GatheringLogOutput(pipe);
    output.write(LINE);
    assert.equal(read(), '');
    assert.equal(await until('the line', async () => read() || undefined), LINE);
    output.write(LINE);
    output.close();
    assert.equal(read(), LINE);
  });
});
