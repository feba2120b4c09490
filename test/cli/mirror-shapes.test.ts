import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyIn, LIST, MirroredSource } from '../support/mirrored-source.ts';
import { runTidemark } from '../support/run-tidemark.ts';
import { documentOf } from '../support/served-source.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const AT = '2026-01-01T00:00:00Z';
const FILES = { 'a.xml.gz': 'one', 'b.xml.gz': 'two', 'c.del.txt': 'three' };

/** Shapes that other programs give their documents, by what is known of them: docs/validator.md. */
describe('a mirror of sources with documents of other shapes', () => {
  const place = useTempFolder();
  let source: MirroredSource;

  beforeEach(async () => {
    source = await MirroredSource.start();
    source.put(FILES).list(AT);
  });

  afterEach(() => source.close());

  const copy = () => copyIn(place.at('copy'));
  const done = async (...words: readonly string[]) => {
    const { stdout, stderr, exitCode } = await runTidemark(['mirror', source.url, 'copy', '--json', ...words], {
      cwd: place.path,
    });
    assert.equal(exitCode, 0, stdout + stderr);
    return JSON.parse(stdout.trim().split('\n').at(-1)!);
  };
  const audit = async () => assert.deepEqual((await done('--audit', '--rehash')).differences, []);
  const md5 = (_path: string, text: string) =>
    `hash="md5:${createHash('md5').update(text).digest('hex')}" length="${text.length}" type="text/plain"`;

  /** An aggregator of streams: `rs:md` before `loc`, no hashes, indexes and lists whose roots are the wrong ones. */
  it('copies streams whose index is a urlset and whose list is a sitemapindex, with files that have no hash', async () => {
    const { baseUrl } = source.served;
    const entry = (path: string, text: string, date = AT) =>
      `<url><rs:md length="${text.length}" type="application/octet-stream"/><loc>${baseUrl}/files/${path}</loc><lastmod>${date}</lastmod></url>`;
    const publish = (date: string, root: string) => {
      const entries = [...source.files].map(([path, text]) => entry(path, text, path === 'b.xml.gz' ? date : AT));
      const list = `<rs:ln rel="up" href="${baseUrl}${LIST}"/><rs:md capability="resourcelist" at="${date}"/>`;
      source.served.document('/streams/1.xml', `${list}${entries.join('')}`);
      const md = `<rs:md capability="resourcelist" at="${date}"/>`;
      const name = root === 'urlset' ? 'url' : 'sitemap';
      const page = `<${name}><rs:md capability="resourcelist"/><loc>${baseUrl}/streams/1.xml</loc></${name}>`;
      source.served.answers.set(LIST, documentOf(md + page, root));
    };
    for (const [round, root] of ['urlset', 'sitemapindex'].entries()) {
      const date = `2026-02-0${round + 1}T00:00:00Z`;
      // The same length: only its date says that it is another file.
      source.put({ 'b.xml.gz': `tw${round}` });
      publish(date, root);
      const report = await done();
      assert.deepEqual([report.fetched, report.failed], [round === 0 ? 3 : 1, 0]);
      assert.deepEqual(copy(), Object.fromEntries(source.files));
      await audit();
    }
    // A delta that was removed from the stream.
    source.put({ 'c.del.txt': undefined });
    publish('2026-02-03T00:00:00Z', 'urlset');
    assert.equal((await done()).deleted, 1);
    assert.deepEqual(copy(), Object.fromEntries(source.files));
  });

  /** A generator of static files: a Capability List names each part of its list, and each Change List. */
  it('copies a source whose Capability List names several Resource Lists and Change Lists', async () => {
    const { baseUrl, answers } = source.served;
    const named = [
      ['resourcelist_0000', 'resourcelist'],
      ['resourcelist_0001', 'resourcelist'],
      ['changelist_0000', 'changelist'],
      ['changelist_0001', 'changelist'],
    ].map(([name, capability]) => `<url><loc>${baseUrl}/${name}.xml</loc><rs:md capability="${capability}"/></url>`);
    source.served.document('/set.xml', `<rs:md capability="capabilitylist"/>${named.join('')}`);
    const publish = () => {
      const entries = [...source.files].map(([path, text]) => source.entry(path, md5(path, text)));
      for (const [number, part] of [entries.slice(0, 2), entries.slice(2)].entries()) {
        const md = `<rs:md capability="resourcelist" at="2026-01-0${number + 1}T00:00:00Z" completed="${AT}"/>`;
        source.served.document(`/resourcelist_000${number}.xml`, md + part.join(''));
        source.served.document(`/changelist_000${number}.xml`, `<rs:md capability="changelist" from="${AT}"/>`);
      }
    };
    publish();
    assert.equal((await done()).fetched, 3);
    assert.deepEqual(copy(), FILES);
    // What the Change Lists would not say.
    source.put({ 'a.xml.gz': 'changed', 'd.txt': 'new' });
    publish();
    assert.equal((await done()).fetched, 2);
    await audit();
    // A part that is missing deletes nothing.
    answers.delete('/resourcelist_0001.xml');
    const { exitCode } = await runTidemark(['mirror', source.url, 'copy'], { cwd: place.path });
    assert.equal(exitCode, 3);
    assert.deepEqual(copy(), Object.fromEntries(source.files));
  });

  it('copies lists that have nothing of a resource but its URI, or only a length', async () => {
    for (const attributes of [() => '', (_path: string, text: string) => `length="${text.length}"`]) {
      source.put(FILES).list(AT, attributes);
      await done();
      source.put({ 'a.xml.gz': 'ONE' }).list(AT, attributes);
      await done();
      assert.deepEqual(copy(), Object.fromEntries(source.files));
      place.remove('copy');
    }
  });
});
