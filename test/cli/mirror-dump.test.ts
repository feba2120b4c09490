import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ZipWriter } from '../../src/lib/zip/zip-writer.ts';
import { breakingOff } from '../support/breaking-off.ts';
import { copyIn, hashAndLength, LIST, MirroredSource, sha256 } from '../support/mirrored-source.ts';
import { zipOf } from '../support/rules/zip-of.ts';
import { killTidemarks, runProcess, runTidemark, startTidemark } from '../support/run-tidemark.ts';
import { type Answering, documentOf } from '../support/served-source.ts';
import { itOnSmallDisk } from '../support/small-disk.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const AT = '2026-01-01T00:00:00Z';
const LATER = '2026-01-02T00:00:00Z';
const IN_A_PACKAGE = 70;

describe('a mirror of a source with a Resource Dump', () => {
  const place = useTempFolder();
  let source: MirroredSource;

  beforeEach(async () => {
    source = await MirroredSource.start();
    source.served.describe({ resourcelist: LIST, resourcedump: '/dump.xml' });
    source.put(manyFiles(210)).list(AT);
    publishDump(source);
  });

  afterEach(async () => {
    await killTidemarks();
    await source.close();
  });

  const run = (...words: readonly string[]) => runTidemark(words, { cwd: place.path });
  const done = async (folder = 'copy', ...words: readonly string[]) => {
    const { stdout, stderr, exitCode } = await run('mirror', source.url, folder, '--json', ...words);
    assert.equal(exitCode, 0, stdout + stderr);
    const lines = stdout.trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const notices = events.filter(({ event }) => event === 'notice').map(({ message }) => message);
    return { ...events.at(-1)!, notices: notices.join('\n') } as unknown as Report;
  };
  const isEqual = (folder = 'copy') =>
    assert.deepEqual(copyIn(place.at(folder)), Object.fromEntries([...source.files].sort(byName)));
  const requested = (start: string) => source.served.requests.filter((path) => path.startsWith(start)).length;

  it('begins with the dump, and requests no resource', async () => {
    const { stdout, exitCode } = await run('mirror', source.url, 'copy');
    assert.equal(exitCode, 0);
    assert.match(stdout, /^210 fetched \([^)]*\), 210 of them from the Resource Dump: the copy has 210 resources/);
    assert.deepEqual([requested('/files/'), requested('/package-')], [0, 3]);
    isEqual();
    await done();
    assert.equal(requested('/package-'), 3);
  });

  it('goes on where a package broke off', async () => {
    const { answers } = source.served;
    const bytes = answers.get('/package-1.zip') as Buffer;
    answers.set('/package-1.zip', breakingOff(bytes, { after: Math.ceil(bytes.length / 3) }));
    const report = await done();
    assert.deepEqual([report.fromDump, report.notices, requested('/package-1')], [210, '', 3]);
    isEqual();
  });

  it('reads a dump that is an index', async () => {
    const parts = `<rs:md capability="resourcedump" at="${AT}"/><sitemap><loc>${source.served.baseUrl}/part.xml</loc></sitemap>`;
    source.served.answers.set('/part.xml', source.served.answers.get('/dump.xml')!);
    source.served.document('/dump.xml', parts, 'sitemapindex');
    assert.equal((await done()).fromDump, 210);
    isEqual();
  });

  it('says which entries of a dump lead to no package', async () => {
    const dump = source.served.answers.get('/dump.xml') as string;
    source.served.answers.set('/dump.xml', dump.replace('</urlset>', '<url><loc/></url></urlset>'));
    const report = await done();
    assert.equal(report.fromDump, 210);
    assert.match(report.notices, /an entry of the Resource Dump \S+dump\.xml without a usable location: ignored/);
  });

  it('uses no dump with --no-dump or --adopt, nor for a few resources', async () => {
    assert.deepEqual([(await done('copy', '--no-dump')).fromDump, (await done('adopted', '--adopt')).fromDump], [0, 0]);
    source.put({ '7.txt': 'changed' }).list(LATER);
    assert.deepEqual([(await done()).fetched, requested('/dump.xml')], [1, 0]);
    isEqual();
  });

  it('fetches alone what a dump does not have or has in another version, and deletes nothing for it', async () => {
    source.put({ '1.txt': 'changed', '2.txt': undefined, 'new.txt': 'new', '4.txt': 'text 5' }).list(LATER);
    source.put({ '3.txt': 'changed later' });
    source.changes(AT, [{ path: '3.txt', change: 'updated', datetime: '2026-01-03T00:00:00Z' }]);
    source.served.describe({ resourcelist: LIST, changelist: '/changelist.xml', resourcedump: '/dump.xml' });
    const report = await done();
    assert.deepEqual([report.fetched, report.fromDump, report.notices], [210, 206, '']);
    assert.deepEqual([requested('/files/'), source.requestsOf('3.txt')], [4, 1]);
    isEqual();
  });

  it('fetches alone what the list has without a hash', async () => {
    source.list(AT, () => '');
    assert.equal((await done()).fromDump, 0);
    isEqual();
  });

  it('goes on without packages that are damaged, are missing or have other bytes, and says so', async () => {
    const { answers } = source.served;
    const whole = answers.get('/package-1.zip') as Buffer;
    const flipped = Buffer.from(whole);
    flipped[whole.indexOf('text 100')]! ^= 1;
    const lying = packageOf(source, 1, (name) => (name === 'bits-100' ? 'TEXT 100' : undefined));
    const longer = packageOf(source, 1, (name) => (name === 'bits-100' ? 'text 100'.repeat(1_000) : undefined));
    const allWrong = packageOf(source, 1, (name) => (name.startsWith('bits') ? 'others' : undefined));
    const cutManifest = packageOf(source, 1, (name, text) =>
      name === 'manifest.xml' ? text.slice(0, -900) : undefined,
    );
    const latin1 = packageOf(source, 1, (name, text) =>
      name === 'manifest.xml' ? Buffer.from(text.replace('<urlset', '<!-- \xe9 --><urlset'), 'latin1') : undefined,
    );
    for (const [title, bytes, isListed, fromDump, problem] of [
      ['flipped', flipped, false, 140, /package-1\.zip cannot be used as a whole: its sha-256 is/],
      ['missing', undefined, false, 140, /package-1\.zip cannot be used as a whole: the server answers 404/],
      ['short', whole.subarray(0, -100), false, 140, /cannot be used as a whole: it has \d+ bytes, and the dump says/],
      ['long', Buffer.concat([whole, whole]), false, 140, /cannot be used as a whole: it has more than/],
      ['no ZIP', Buffer.from('<html></html>'), true, 140, /cannot be used as a whole: it is not a readable ZIP file/],
      ['cut', whole.subarray(0, -100), true, 140, /cannot be used as a whole: it is not a readable ZIP file/],
      ['no manifest', zipOf(new Map()), true, 140, /cannot be used as a whole: it has no manifest\.xml/],
      ['latin1', latin1, true, 140, /cannot be used as a whole: it is not encoded in UTF-8/],
      ['manifest', cutManifest, true, undefined, /cannot be used as a whole: it is not well-formed/],
      [
        'lying',
        lying,
        true,
        209,
        /cannot be used as a whole: bits-100 in it is not as its manifest says: its sha-256 is/,
      ],
      ['longer', longer, true, 209, /bits-100 in it is not as its manifest says: it has more bytes than the 8 of the/],
      ['all wrong', allWrong, true, 140, /bits-79 in it is not as its manifest says/],
    ] as const) {
      if (bytes === undefined) answers.delete('/package-1.zip');
      else answers.set('/package-1.zip', bytes);
      if (isListed) listPackages(source);
      const report = await done(title);
      assert.match(report.notices, problem, title);
      if (fromDump !== undefined) assert.equal(report.fromDump, fromDump, title);
      isEqual(title);
      publishDump(source);
    }
  });

  it('takes a resource from a later package when its bytes in an earlier one are wrong', async () => {
    const lying = packageOf(source, 1, (name) => (name === 'bits-100' ? 'TEXT 100' : undefined));
    source.served.answers.set('/package-0.zip', lying);
    listPackages(source);
    const report = await done();
    assert.match(
      report.notices,
      /package-0\.zip cannot be used as a whole: bits-100 in it is not as its manifest says/,
    );
    assert.deepEqual([report.fromDump, source.requestsOf('100.txt')], [140, 0]);
    isEqual();
  });

  itOnSmallDisk('fetches alone what is in a package for which the disk has no room', 8, async (disk) => {
    // The first one: while it is being fetched, nothing else needs the disk.
    source.served.answers.set('/package-0.zip', Buffer.alloc(16_000_000));
    listPackages(source);
    const { stdout, exitCode } = await runTidemark(['mirror', source.url, 'copy'], { cwd: disk.folder });
    assert.equal(exitCode, 0, stdout);
    assert.match(stdout, /210 fetched \([^)]*\), 140 of them from the Resource Dump/);
    assert.deepEqual(copyIn(join(disk.folder, 'copy')), Object.fromEntries([...source.files].sort(byName)));
  });

  it('goes on without a dump that cannot be read, and stops after three packages that are of no use', async () => {
    source.put(manyFiles(420)).list(AT);
    publishDump(source);
    for (let at = 1; at < 6; at++) source.served.answers.set(`/package-${at}.zip`, 'no ZIP');
    const report = await done();
    assert.deepEqual([report.fromDump, requested('/package-')], [70, 4]);
    assert.match(report.notices, /three packages of the Resource Dump were of no use/);
    isEqual();
    source.served.answers.set('/dump.xml', '<html></html>');
    assert.match((await done('other')).notices, /the Resource Dump cannot be used: .*its root is .*html/);
    isEqual('other');
  });

  it('takes no path of a package for a path of a file', async () => {
    const escaping = packageOf(
      source,
      1,
      () => undefined,
      (at) => `../../escaped-${at}`,
    );
    source.served.answers.set('/package-1.zip', escaping);
    // Here the names in the ZIP file are harmless, and the manifest alone has others.
    const named = new Map([['manifest.xml', Buffer.from(manifestOf(source, 2, (at) => `/../../escaped-${at}`))]]);
    source.served.answers.set('/package-2.zip', zipOf(named));
    listPackages(source);
    const report = await done();
    assert.equal(report.fromDump, 70);
    assert.match(
      report.notices,
      /package-1\.zip cannot be used as a whole: it is not a readable ZIP file: invalid relative/,
    );
    assert.deepEqual(readdirSync(place.path), ['copy']);
    isEqual();
  });

  it('takes a file of a package only as long as its list says, however it is packed', async () => {
    const bomb = bombOf('bits-0', manifestOf(source, 0));
    const lying = Buffer.from(bomb);
    // The central directory says that it has the length of the list.
    lying.writeUInt32LE('text 0'.length, bomb.lastIndexOf('bits-0') - 46 + 24);
    for (const [title, bytes] of Object.entries({ bomb, lying })) {
      source.served.answers.set('/package-0.zip', bytes);
      listPackages(source);
      const report = await done(title);
      assert.equal(report.fromDump, 140);
      assert.match(
        report.notices,
        /package-0\.zip cannot be used as a whole: bits-0 in it is not as its manifest says/,
      );
      isEqual(title);
    }
  });

  it('goes on after it was killed, and fetches no package again whose resources it has', async () => {
    source.put(manyFiles(420)).list(AT);
    publishDump(source);
    for (const failpoint of ['mirror.fetched', 'mirror.published', 'mirror.committed'] as const) {
      source.served.requests.splice(0);
      // What came before it is written alone.
      const isWritten = () => readdirSync(place.at(failpoint)).filter((name) => name.endsWith('.txt')).length >= 140;
      source.served.answers.set('/package-2.zip', sentWhen(isWritten, packageOf(source, 2)));
      const { exitCode } = await runProcess(['mirror', source.url, failpoint], {
        cwd: place.path,
        // The first time of the others, nothing was fetched yet.
        env: { TIDEMARK_FAILPOINT: `${failpoint}:kill@${failpoint === 'mirror.fetched' ? 3 : 4}` },
      });
      assert.equal(exitCode, null, failpoint);
      // On a slow machine, files are written more often, and it is killed earlier.
      assert.ok(requested('/package-') >= 2);
      assert.equal(requested('/files/'), 0);
      const report = await done(failpoint);
      assert.equal(report.fetched, report.fromDump);
      assert.ok(report.fromDump <= 350);
      assert.deepEqual([requested('/package-0.zip'), requested('/files/')], [1, 0]);
      isEqual(failpoint);
      assert.deepEqual(readdirSync(place.at(`${failpoint}/.tidemark-mirror`)).sort(), ['lock', 'process']);
    }
  });

  it('begins with a dump of Tidemark, and is equal to the source although that has changed', async () => {
    for (let at = 0; at < 210; at++) place.write(`files/${at % 7}/${at} é%.txt`, `text ${at}`);
    place.write('files/large.xml', '<a>text</a>'.repeat(200_000));
    const publishing = startTidemark(['publish', 'files', '--data', 'data', '--port', '0'], { cwd: place.path });
    const [, url] = await publishing.says(/(http:\/\/\S+)\/sets\/files\/changelist\.xml/);
    const built = await run('dumps', 'build', 'files', '--data', 'data');
    assert.equal(built.exitCode, 0, built.stderr);
    place.write('files/new.txt', 'new');
    place.write('files/0/0 é%.txt', 'changed');
    place.remove('files/1/1 é%.txt');
    let first: Report | undefined;
    await until('the copy is equal', async () => {
      const { stdout } = await run('mirror', url!, 'copy', '--json');
      first ??= JSON.parse(stdout.trim().split('\n').at(-1)!) as Report;
      return JSON.stringify(copyIn(place.at('copy'))) === JSON.stringify(copyIn(place.at('files')));
    });
    assert.ok(first!.fromDump >= 209, JSON.stringify(first));
    assert.equal((await run('mirror', url!, 'copy', '--audit', '--rehash')).exitCode, 0);
  });
});

interface Report {
  readonly fetched: number;
  readonly fromDump: number;
  readonly notices: string;
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]) => (a < b ? -1 : 1);

const manyFiles = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}.txt`, `text ${at}`]));

/** Publishes packages of what the source has now, each with its manifest alone beside it. */
function publishDump(source: MirroredSource): void {
  const { answers } = source.served;
  for (let at = 0; at * IN_A_PACKAGE < source.files.size; at++) {
    answers.set(`/package-${at}.zip`, packageOf(source, at));
    answers.set(`/contents-${at}.xml`, manifestOf(source, at));
  }
  listPackages(source);
}

/** Publishes the dump of the packages as they are. */
function listPackages({ served }: MirroredSource): void {
  const packages = [...served.answers].filter(([path]) => path.startsWith('/package-'));
  const entries = packages.map(([path, answer]) => {
    const bytes = answer as Buffer;
    const contents = served.link('contents', path.replace('package', 'contents').replace('zip', 'xml'));
    const md = `<rs:md type="application/zip" length="${bytes.length}" hash="${sha256(bytes)}"/>`;
    return `<url><loc>${served.baseUrl}${path}</loc>${md}${contents}</url>`;
  });
  served.document('/dump.xml', `<rs:md capability="resourcedump" at="${AT}"/>${entries.join('\n')}`);
}

/** Sends bytes only when something is so. */
function sentWhen(isSo: () => boolean, bytes: Buffer): Answering {
  return async (_, response) => {
    await until('they may be sent', async () => isSo());
    response.end(bytes);
  };
}

/** A package with a file that is very much longer than it is packed. */
function bombOf(name: string, manifest: string): Buffer {
  const writer = new ZipWriter();
  const parts = [
    ...writer.add({ name: 'manifest.xml', modified: 0, compress: true }, Buffer.from(manifest)),
    ...writer.add({ name, modified: 0, compress: true }, Buffer.alloc(50_000_000)),
    ...writer.end(),
  ];
  return Buffer.concat(parts);
}

const filesOf = ({ files }: MirroredSource, at: number) =>
  [...files].slice(at * IN_A_PACKAGE, (at + 1) * IN_A_PACKAGE).map(([path, text], place) => ({
    ...{ path, text, number: at * IN_A_PACKAGE + place },
  }));

/** @param nameOf the name of a file in the package, which has nothing to do with that of its resource */
function manifestOf(source: MirroredSource, at: number, nameOf = (number: number) => `/bits-${number}`): string {
  const entries = filesOf(source, at).map(({ path, text, number }) =>
    source.entry(path, `${hashAndLength(path, text)} path="${nameOf(number)}"`),
  );
  return documentOf(`<rs:md capability="resourcedump-manifest" at="${AT}"/>${entries.join('\n')}`);
}

/** @param forged what a file has in place of its bytes */
function packageOf(
  source: MirroredSource,
  at: number,
  forged: (name: string, text: string) => string | Buffer | undefined = () => undefined,
  nameOf = (number: number) => `bits-${number}`,
): Buffer {
  const manifest = manifestOf(source, at, (number) => `/${nameOf(number)}`);
  const files = filesOf(source, at).map(({ text, number }) => [nameOf(number), text] as const);
  return zipOf(
    new Map(
      [['manifest.xml', manifest] as const, ...files].map(([name, text]) => {
        const content = forged(name, text) ?? text;
        return [name, typeof content === 'string' ? Buffer.from(content) : content];
      }),
    ),
  );
}
