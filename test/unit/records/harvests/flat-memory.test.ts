import assert from 'node:assert/strict';
import { PageScan } from '../../../../src/records/forms/oai/page-scan.ts';
import { page, READING, readPage } from '../../../support/oai-pages.ts';

const MB = 1024 ** 2;
const CHUNK = Buffer.alloc(64 * 1024, ' ');

/** The chunks that are taken of an answer that begins so, and has no end. */
async function takenOf(begin: string, take: (chunks: AsyncIterable<Buffer>) => Promise<unknown>): Promise<number> {
  let taken = 0;
  async function* endless() {
    for (yield Buffer.from(begin); ; yield CHUNK) taken += 1;
  }
  await assert.rejects(take(endless()), /DOCTYPE/);
  return taken;
}

async function scanned(chunks: AsyncIterable<Buffer>): Promise<void> {
  const scan = new PageScan({ format: 'oai_dc', onIdentifier() {} });
  for await (const chunk of chunks) scan.write(chunk);
}

describe('An answer that would take memory', () => {
  const levels = Array.from({ length: 20 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(20)}">`);
  const bomb = `<?xml version="1.0"?><!DOCTYPE OAI-PMH [<!ENTITY e0 "lol">${levels.join('')}`;

  it('is refused at its DOCTYPE: no entity of a bomb is read', async () => {
    assert.ok((await takenOf(bomb, scanned)) <= 1);
  });

  it('is no page that can be read, either', async () => {
    const text = page('').replace('<OAI-PMH', `${bomb.slice(bomb.indexOf('<!DOCTYPE'))}]><OAI-PMH`);
    const before = process.memoryUsage().rss;
    await assert.rejects(readPage(text, { reading: READING }), /DOCTYPE/);
    assert.ok(process.memoryUsage().rss - before < 100 * MB);
  });

  it('is scanned chunk by chunk, however long its metadata are', () => {
    const scan = new PageScan({ format: 'oai_dc', onIdentifier() {} });
    const [begin, end] = page(
      '<record><header><identifier>a</identifier></header><metadata><m>|</m></metadata></record>',
    ).split('|');
    scan.write(Buffer.from(begin!));
    // A record is kept up to its longest length.
    for (let bytes = 0; bytes < 64 * MB; bytes += CHUNK.length) scan.write(CHUNK);
    const before = heldBytes();
    let least = Number.POSITIVE_INFINITY;
    // What was not collected yet counts, too: when that is depends on the tests before this one. So the least counts
    // that is held while the second half is scanned.
    for (let bytes = 0; bytes < 512 * MB; bytes += CHUNK.length) {
      scan.write(CHUNK);
      if (bytes >= 256 * MB) least = Math.min(least, heldBytes());
    }
    scan.write(Buffer.from(end!));
    assert.equal(scan.end().records, 1);
    assert.ok(least - before < 200 * MB, `${(least - before) / MB} MB more`);
  });
});

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
