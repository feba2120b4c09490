import assert from 'node:assert/strict';
import { createReadStream, readFileSync, statSync, truncateSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { MirroredSource } from '../support/mirrored-source.ts';
import { killTidemarks, type RunningTidemark, startProcess } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const GIBIBYTE = 2 ** 30;
const LENGTH = 5 * GIBIBYTE;
/** Of so many zeros. */
const HASH = 'sha-256:7f06c62352aebd8125b2a1841e2b9e1ffcbed602f381c3dcb3200200e383d1d5';
const AT = '2026-01-01T00:00:00Z';
const MEGABYTES = 600;

describe('a mirror of a long file', function () {
  this.timeout(3_600_000);
  const place = useTempFolder();
  let source: MirroredSource;

  beforeEach(async () => {
    source = await MirroredSource.start();
  });

  afterEach(async () => {
    await killTidemarks();
    await source.close();
  });

  /** A sparse file. The first connection breaks beyond what 31 bits can count. */
  function serveLarge(): void {
    const file = place.at('large');
    place.write('large', '');
    truncateSync(file, LENGTH);
    let isBroken = false;
    source.put({ large: '' }).list(AT, () => `hash="${HASH}" length="${LENGTH}"`);
    source.served.answers.set('/files/large', ({ headers }, response) => {
      const start = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
      const range = { 'content-range': `bytes ${start}-${LENGTH - 1}/${LENGTH}` };
      response.writeHead(start === 0 ? 200 : 206, {
        ...{ etag: '"large"', 'content-length': LENGTH - start },
        ...(start > 0 && range),
      });
      const end = isBroken ? LENGTH - 1 : 3 * GIBIBYTE;
      const bytes = createReadStream(file, { start, end, highWaterMark: 1 << 20 });
      bytes.pipe(response, { end: isBroken });
      if (!isBroken) bytes.once('end', () => response.destroy());
      isBroken = true;
    });
  }

  it('copies a file of 5 GiB into a folder, whose connection breaks, in bounded memory', async () => {
    serveLarge();
    const peak = await peakOf(startProcess(['mirror', source.url, 'copy', '--json'], { cwd: place.path }));
    assert.equal(statSync(place.at('copy/large')).size, LENGTH);
    assert.equal(source.requestsOf('large'), 2);
    assert.ok(peak < MEGABYTES, `${peak} MB`);
  });
});

/** Waits until it has ended without a failure, however long that takes. Returns its peak of memory in megabytes. */
async function peakOf(running: RunningTidemark): Promise<number> {
  let peak = 0;
  for (let now = peakNow(running.pid); now !== undefined; now = peakNow(running.pid)) {
    peak = now;
    await wait(100);
  }
  assert.equal(await running.exit(), 0, running.stdout + running.stderr);
  return peak;
}

/** Undefined when the process has ended. */
function peakNow(pid: number): number | undefined {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kilobytes === undefined ? undefined : Math.round(Number(kilobytes) / 1024);
  } catch {
    return undefined;
  }
}
