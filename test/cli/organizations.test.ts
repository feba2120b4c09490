import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describeOnEachStore } from '../support/each-store.ts';
import { Workplace } from '../support/workplace.ts';

describeOnEachStore('organizations and streams on the command line', (store, itOnce) => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store);
  });

  afterEach(() => place.close());

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run(args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const shown = async (...args: readonly string[]) => JSON.parse(await done(...args, '--json'));

  it('are made, listed and changed', async () => {
    const add = ['organizations', 'add', 'lane', '--title', 'Lane Library', '--contact', 'Ada <ada@example.org>'];
    assert.equal(await done(...add, '--contact', 'Front desk'), 'Added the organization lane.\n');
    assert.equal(await done('streams', 'add', 'lane', 'main'), 'Made the stream main of lane, which is the default.\n');
    assert.equal(await done('streams', 'add', 'lane', 'new', '--title', 'New'), 'Made the stream new of lane.\n');
    assert.equal(await done('streams', 'default', 'lane', 'new'), 'The default stream of lane is new now.\n');
    assert.match(await done('streams', 'archive', 'lane', 'main'), /^The stream main of lane is archived/);

    const day = String.raw`\d{4}-\d\d-\d\d`;
    const streams = `STREAM +STATE +MADE +TITLE\nmain +archived ${day} +${day}\nnew +default +${day} +New\n`;
    assert.match(await done('streams', 'list', 'lane'), new RegExp(`^${streams}$`));
    const numbers =
      'Of the default stream:\n  0 records now, 0 changes of them so far\n  uploads: none\n  dumps: none\n';
    assert.match(
      await done('organizations', 'show', 'lane'),
      new RegExp(
        `^lane: Lane Library\n  contact: Ada <ada@example.org>\n  contact: Front desk\n\n${streams}\n${numbers}$`,
      ),
    );
    assert.match(await done('organizations', 'list'), /\nlane +2 +new +everybody +Lane Library\n$/);

    const { statistics, ...view } = await shown('organizations', 'show', 'lane');
    const uploads = { waiting: 0, processing: 0, removed: 0, processed: 0, failed: 0 };
    assert.deepEqual(statistics, { records: 0, changes: 0, uploads, dumps: 0 });
    assert.deepEqual(view.contacts, [{ name: 'Ada', email: 'ada@example.org' }, { name: 'Front desk' }]);
    assert.deepEqual(await shown('organizations', 'list'), { organizations: [view] });
    assert.deepEqual(await shown('streams', 'list', 'lane'), { organization: 'lane', streams: view.streams });
    assert.deepEqual(await shown('streams', 'show', 'lane', 'new'), { organization: 'lane', ...view.streams[1] });

    const changed = await shown('organizations', 'change', 'lane', '--title', '', '--contact', 'Bert');
    assert.deepEqual([changed.title, changed.contacts], [undefined, [{ name: 'Bert' }]]);
    assert.equal((await shown('streams', 'archive', 'lane', 'main', '--undo')).archived, undefined);
  });

  itOnce('have a normalization, which is shown, replaced and removed', async () => {
    const pod = ['--normalization', 'pod', '--code', 'CSt', '--items', '952:m=b,i=p', '--items', '852:949:a=h'];
    await done('organizations', 'add', 'lane', ...pod);
    assert.deepEqual((await shown('organizations', 'show', 'lane')).normalization, {
      kind: 'pod',
      code: 'CSt',
      items: [
        { source: '952', destination: '998', subfields: { m: 'b', i: 'p' } },
        { source: '852', destination: '949', subfields: { a: 'h' } },
      ],
    });
    assert.ok(
      (await done('organizations', 'show', 'lane')).startsWith(
        'lane\n  normalization: POD, with the code CSt\n' +
          '  items: 952 as 998, $m from $b, $i from $p\n  items: 852 as 949, $a from $h\n',
      ),
    );
    await done('organizations', 'change', 'lane', '--title', 'Lane');
    assert.equal((await shown('organizations', 'show', 'lane')).normalization.code, 'CSt');
    await done('organizations', 'change', 'lane', '--normalization', 'pod');
    assert.deepEqual((await shown('organizations', 'show', 'lane')).normalization, { kind: 'pod', items: [] });
    await done('organizations', 'change', 'lane', '--normalization', 'none');
    assert.equal((await shown('organizations', 'show', 'lane')).normalization, undefined);
  });

  itOnce('are private to their own tokens and to groups of readers', async () => {
    await done('organizations', 'add', 'lane', '--private');
    assert.match(await done('organizations', 'show', 'lane'), /^lane\n {2}private: its own tokens\n/);
    await done('organizations', 'change', 'lane', '--readers', 'consortium', '--readers', 'partners');
    assert.match(await done('organizations', 'list'), /\nlane +0 +\(none\) +its own tokens, consortium, partners\n$/);
    await done('tokens', 'create', '--name', 'reader', '--scope', 'group:consortium', '--scope', 'download:lane');
    const mistyped = await place.run(['tokens', 'create', '--name', 'reader', '--scope', 'group:consrtium']);
    assert.match(mistyped.stderr, /no organization has the group "consrtium" .*: did you mean "consortium"\?/);
    assert.equal(mistyped.exitCode, 2);

    await done('organizations', 'change', 'lane', '--title', 'Lane');
    const { title, readers } = await shown('organizations', 'show', 'lane');
    assert.deepEqual([title, readers], ['Lane', ['consortium', 'partners']]);
    const opened = await shown('organizations', 'change', 'lane', '--public');
    assert.deepEqual([opened.private, opened.readers], [false, undefined]);
    const refused = await place.run(['organizations', 'change', 'lane', '--readers', 'consortium']);
    assert.match(refused.stderr, /a public organization is for everybody: make it private/);
  });

  it('are carried by archives of the log, and give tokens for uploads', async () => {
    await done('organizations', 'add', 'lane', '--title', 'Lane Library');
    await done('streams', 'add', 'lane', 'main');
    await done('tokens', 'create', '--name', 'nightly', '--scope', 'upload:lane');
    await done('sets', 'add', 'maps', '--url-prefix', 'https://example.org/maps/');
    await done('archive');
    const before = await shown('organizations', 'list');
    await place.placeStoreIn(join(place.folder, 'rebuilt'));
    const rebuilt = await place.run(['rebuild']);
    assert.equal(rebuilt.exitCode, 0, rebuilt.stderr);
    assert.deepEqual(await shown('organizations', 'list'), before);
  });

  itOnce('are refused with what is wrong', async () => {
    const fails = async (args: readonly string[], code: number, message: RegExp) => {
      const { exitCode, stderr } = await place.run(args);
      assert.match(stderr, message);
      assert.equal(exitCode, code);
    };
    await fails(['organizations', 'add', 'Lane'], 2, /"Lane" is not a valid id of an organization/);
    await fails(['organizations', 'list'], 2, /there is no store/);
    await done('organizations', 'add', 'lane');
    await done('streams', 'add', 'lane', 'main');
    await fails(['streams', 'add', 'lame', 'x'], 2, /there is no organization "lame": did you mean "lane"\?/);
    await fails(['streams', 'default', 'lane', 'mane'], 2, /has no stream "mane": did you mean "main"\?/);
    await fails(
      ['streams', 'archive', 'lane', 'main'],
      2,
      /is the default of lane: make another one the default first/,
    );
    await fails(
      ['organizations', 'change', 'lane'],
      2,
      /to change: --title TEXT, .*--code CODE, .* --keep-dumps NUMBER, .* or --notify-errors ON\|OFF/,
    );
    await fails(['organizations', 'change', 'lane', '--code', 'X'], 2, /add "--normalization pod"/);
    const pod = ['organizations', 'change', 'lane', '--normalization', 'pod'];
    await fails([...pod, '--items', '952'], 2, /use FIELD:CODE=CODE,…, such as 952:i=p,a=o,m=a/);
    await fails([...pod, '--items', '952:i=p,i=q'], 2, /a code is given twice/);
    await fails([...pod, '--items', '008:i=p'], 2, /"008" is not the tag of a data field/);
    const scope = ['tokens', 'create', '--name', 'x', '--scope', 'upload:lame'];
    await fails(scope, 2, /there is no organization "lame"/);
  });
});
