import assert from 'node:assert/strict';
import { CHANGES, copyIn, MirroredSource } from '../support/mirrored-source.ts';
import { killTidemarks, runTidemark, startTidemark } from '../support/run-tidemark.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const AT = '2026-01-01T00:00:00Z';

describe('tidemark mirror --follow', () => {
  const place = useTempFolder();

  afterEach(() => killTidemarks());

  const files = () => copyIn(place.at('files'));
  const copy = () => copyIn(place.at('copy'));
  const isEqual = () => until('the copy is equal', async () => JSON.stringify(copy()) === JSON.stringify(files()));
  const publish = (port: string) =>
    startTidemark(['publish', 'files', '--data', 'data', '--port', port], { cwd: place.path });
  const follow = (url: string, ...words: readonly string[]) =>
    startTidemark(['mirror', url, 'copy', '--follow', ...words], { cwd: place.path });

  it('has each change soon after the source has recorded it, by the stream of changes', async () => {
    place.write('files/a.txt');
    const publishing = publish('0');
    const [, url] = await publishing.says(/(http:\/\/\S+)\/sets\/files\/changelist\.xml/);
    const following = follow(url!, '--interval', '1h', '--connections', '1');
    await following.says(/Following it/);
    for (let number = 0; number < 5; number++) {
      place.write(`files/${number}.txt`, `text ${number}`);
      await isEqual();
    }
    place.remove('files/a.txt');
    await isEqual();
    following.signal('SIGINT');
    assert.equal(await following.exit(), 0);
  });

  it('goes on when the source was stopped and is started again', async () => {
    place.write('files/a.txt');
    const first = publish('0');
    const [, url] = await first.says(/(http:\/\/\S+)\/sets\/files\/changelist\.xml/);
    const following = follow(url!, '--interval', '1h');
    await following.says(/Following it/);
    // By the stream of changes, whose end is noticed long before a poll is due.
    place.write('files/a.txt', 'changed');
    await isEqual();
    first.signal('SIGTERM');
    await first.exit();
    await following.says(/The source is away: \S+ cannot be read: .* Waiting until it is back\./);
    place.write('files/b.txt');
    const second = publish(new URL(url!).port);
    await second.says(/changelist\.xml/);
    await isEqual();
    await following.says(/It is back\./);
    assert.equal(following.stderr.match(/^The source is away|^It is back/gm)?.length, 2, following.stderr);
    following.signal('SIGINT');
    assert.equal(await following.exit(), 0);
    second.signal('SIGTERM');
    await second.exit();
    // Now it is away from the start.
    const waiting = follow(url!, '--json');
    await waiting.says(/"event":"away","of":"source","reason":"\S+ cannot be read/);
    place.write('files/c.txt');
    await publish(new URL(url!).port).says(/changelist\.xml/);
    await waiting.says(/"event":"back"/);
    await isEqual();
  });

  it('stops while it waits for the source, and waits for none that never answered', async () => {
    const source = await MirroredSource.start();
    source.put({ 'a.txt': 'a' }).list(AT);
    const run = (folder: string, ...words: readonly string[]) =>
      runTidemark(['mirror', source.url, folder, ...words], { cwd: place.path });
    assert.equal((await run('copy').finally(() => source.close())).exitCode, 0);
    const waiting = follow(source.url);
    await waiting.says(/The source is away/);
    waiting.signal('SIGINT');
    assert.equal(await waiting.exit(), 0);
    assert.equal((await run('copy')).exitCode, 3);
    assert.equal((await run('other', '--follow')).exitCode, 3);
  });

  it('asks for nothing before the time that the source names', async () => {
    const source = await MirroredSource.start();
    try {
      source.put({ 'a.txt': 'a' }).list(AT).changes(AT, []);
      const following = follow(source.url, '--interval', '1s');
      await following.says(/Following it/);
      let answers = 0;
      source.served.answers.set(CHANGES, (_, response) => {
        answers += 1;
        response.writeHead(503, { 'retry-after': '3600' }).end();
      });
      await following.says(/The source is away: .* answers 503/);
      await until('a pass has waited', async () => {
        const { stdout } = await runTidemark(['mirror', 'status', 'copy'], { cwd: place.path });
        return stdout.includes('no request before');
      });
      assert.equal(answers, 1);
    } finally {
      await killTidemarks();
      await source.close();
    }
  });

  it('polls a source that has no stream, and repeats no request for what has failed', async () => {
    const source = await MirroredSource.start();
    try {
      source.put({ 'a.txt': 'a', 'b.txt': 'b' }).list(AT).changes(AT, []);
      const following = follow(source.url, '--interval', '1s', '--json');
      await following.says(/"event":"pass"/);
      source.put({ 'a.txt': 'changed' }).changes(AT, [
        { path: 'a.txt', change: 'updated', datetime: '2026-01-02T00:00:00Z' },
        { path: 'missing.txt', change: 'created', datetime: '2026-01-02T00:00:01Z' },
      ]);
      await until('it is copied', async () => copy()['a.txt'] === 'changed');
      const requests = source.requestsOf('missing.txt');
      assert.ok(requests > 0);
      const polls = () => source.served.requests.filter((path) => path.startsWith(CHANGES)).length;
      const before = polls();
      await until('it has polled again', async () => polls() > before + 1);
      assert.ok(source.requestsOf('missing.txt') <= 3);
    } finally {
      await killTidemarks();
      await source.close();
    }
  });
});
