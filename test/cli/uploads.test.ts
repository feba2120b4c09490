import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { truncateSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { askJson } from '../support/ask.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { startHttpProxy } from '../support/http-proxy.ts';
import type { RunningTidemark } from '../support/run-tidemark.ts';
import { marc } from '../support/upload-packages.ts';
import { Workplace } from '../support/workplace.ts';

describe('uploads without a token', () => {
  let place: Workplace;
  afterEach(() => place.close());

  it('are refused where tokens are used, with the scope that is needed', async () => {
    place = await Workplace.make(SQLITE);
    await place.run(['organizations', 'add', 'lane']);
    await place.run(['streams', 'add', 'lane', 'main']);
    await place.run(['tokens', 'create', '--name', 'nightly', '--scope', 'upload:lane']);
    await writeFile(join(place.folder, 'b.mrc'), 'b');
    const serving = place.start(['serve', '--port', '0']);
    await serving.says(/Serving \d+ sets/);
    const { exitCode, stderr } = await place.run(['upload', 'lane', 'b.mrc']);
    assert.match(
      stderr,
      /this needs a token; name a file with one by --token-file, or set TIDEMARK_TOKEN: .* upload:lane/,
    );
    assert.equal(exitCode, 2);
    serving.signal('SIGTERM');
    await serving.exit();
  });
});

describe('uploads on the command line', () => {
  let place: Workplace;
  let serving: RunningTidemark;
  let server: string;

  before(async () => {
    place = await Workplace.make(SQLITE);
    await done('organizations', 'add', 'lane');
    await done('streams', 'add', 'lane', 'main');
    await done('streams', 'add', 'lane', 'new');
    await writeFile(join(place.folder, 'größe "1".mrc'), 'one\ntwo');
    await writeFile(join(place.folder, 'b.mrc'), 'b'.repeat(2_000_000));
    const port = await findFreePort();
    server = `http://localhost:${port}`;
    serving = place.start(['serve', '--port', `${port}`, '--access-log', 'false']);
    await serving.says(/Serving \d+ sets/);
  });

  after(async () => {
    serving?.signal('SIGTERM');
    await serving?.exit();
    await place?.close();
  });

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run(args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const fails = async (args: readonly string[], code: number, message: RegExp) => {
    const { exitCode, stderr } = await place.run(args);
    assert.match(stderr, message);
    assert.equal(exitCode, code);
  };

  it('are sent to the server of the store, listed and shown', async () => {
    const said = await done('upload', 'lane', 'größe "1".mrc', 'b.mrc', '--name', 'Night 1');
    const status = 'api/organizations/lane/uploads/main/1';
    const page = 'organizations/lane/streams/main/uploads/1/';
    const lines = `Uploaded 2 files, 2.00 MB: lane/main/1\nIts page: http://[^/]+/${page}\nIts status: http://[^/]+/${status}`;
    assert.match(said, new RegExp(`^${lines}\n$`));
    const sent = JSON.parse(
      await done('upload', 'lane', 'b.mrc', '--stream', 'new', '--server', `${server}/`, '--json'),
    );
    assert.deepEqual([sent.stream, sent.number, sent.files[0].length], ['new', 1, 2_000_000]);

    const nothing = await place.run(['uploads', 'show', 'lane/new/1', '--wait']);
    assert.match(
      nothing.stdout,
      /status: failed\n {2}failed at .*: nothing was taken of b\.mrc: it is not a list of ids/,
    );
    assert.equal(nothing.exitCode, 1);
    const shown = await done('uploads', 'show', 'lane/main/1', '--wait');
    assert.match(
      await done('uploads', 'list', 'lane'),
      /^NUMBER .*\n +1 +\d{4}-\S+ +2 files, 2.00 MB +processed +0 +2 +0 +1 +\S+ +Night 1\n$/,
    );
    const { uploads } = JSON.parse(await done('uploads', 'list', 'lane', '--stream', 'new', '--json'));
    assert.deepEqual([uploads.length, uploads[0].number, uploads[0].files], [1, 1, sent.files]);
    assert.equal(uploads[0].ignored, 1);
    assert.match(
      shown,
      /^lane\/main\/1: Night 1\n {2}received: \d{4}-.*\n {2}by: .*\n {2}status: processed\n {2}published: 0 created, .*, 2 to delete that did not exist\n/,
    );
    assert.match(shown, /TAKEN FOR +TYPE +RECORDS +DELETIONS +ERRORS +REPLACED\n.* ids to delete +0 +2 +0 +0\nb\.mrc/);
    assert.ok(shown.includes(hash('sha256', 'one\ntwo')) && shown.includes('größe "1".mrc'), shown);
  });

  it('go on where the connection broke off, when the file is large', async () => {
    const bytes = randomBytes(40_000_000);
    await writeFile(join(place.folder, 'large.mrc'), bytes);
    await done('streams', 'add', 'lane', 'large');
    const proxy = await startCuttingProxy(Number(new URL(server).port), { after: 15_000_000, times: 2 });
    try {
      const args = ['upload', 'lane', 'large.mrc', '--stream', 'large', '--name', 'Größe', '--server', proxy.url];
      const { exitCode, stdout, stderr } = await place.run([...args, '--json']);
      assert.equal(exitCode, 0, stderr);
      assert.equal(proxy.cuts(), 2);
      const upload = JSON.parse(stdout);
      assert.deepEqual([upload.stream, upload.number, upload.name], ['large', 1, 'Größe']);
      const [file, ...others] = upload.files;
      assert.deepEqual([file.name, file.length, file.sha256], ['large.mrc', bytes.length, hash('sha256', bytes)]);
      assert.deepEqual(others, []);
    } finally {
      await proxy.close();
    }
    const { uploads } = JSON.parse(await done('uploads', 'list', 'lane', '--stream', 'large', '--json'));
    assert.equal(uploads.length, 1);
    const refused = ['upload', 'lane', 'large.mrc', '--stream', 'mian'];
    await fails(refused, 2, /did not take the upload: .*no stream "mian": did you mean "main"\?/);
  });

  it('go on where the connection broke off, when several files are large together', async () => {
    const sent = {
      'first.mrc': randomBytes(20_000_000),
      'second.mrc': randomBytes(1_000),
      'third.mrc': randomBytes(15_000_000),
    };
    for (const [name, bytes] of Object.entries(sent)) await writeFile(join(place.folder, name), bytes);
    await done('streams', 'add', 'lane', 'several');
    const proxy = await startCuttingProxy(Number(new URL(server).port), { after: 15_000_000, times: 2 });
    try {
      const args = ['upload', 'lane', ...Object.keys(sent), '--stream', 'several', '--server', proxy.url, '--json'];
      const { exitCode, stdout, stderr } = await place.run(args);
      assert.equal(exitCode, 0, stderr);
      assert.equal(proxy.cuts(), 2);
      assert.deepEqual(
        JSON.parse(stdout).files.map(({ name, sha256 }: Record<string, unknown>) => [name, sha256]),
        Object.entries(sent).map(([name, bytes]) => [name, hash('sha256', bytes)]),
      );
    } finally {
      await proxy.close();
    }
    const { uploads } = JSON.parse(await done('uploads', 'list', 'lane', '--stream', 'several', '--json'));
    assert.equal(uploads.length, 1);
  });

  it('leave nothing at the server when they are stopped', async () => {
    await writeFile(join(place.folder, 'long.mrc'), randomBytes(35_000_000));
    await done('streams', 'add', 'lane', 'stopped');
    let isStopped = false;
    const proxy = await startHttpProxy(Number(new URL(server).port), {
      onSent(_, bytes) {
        if (bytes > 1_000_000 && !isStopped) sending.signal('SIGINT');
        isStopped ||= bytes > 1_000_000;
      },
    });
    const sending = place.start(['upload', 'lane', 'long.mrc', '--stream', 'stopped', '--server', proxy.url]);
    try {
      assert.equal(await sending.exit(), 1);
      assert.match(sending.stderr, /stopped before it was complete/);
      assert.deepEqual(proxy.answers, ['GET 200', 'POST 201', 'HEAD 200', 'HEAD 200', 'DELETE 204']);
    } finally {
      await proxy.close();
    }
    const { uploads } = JSON.parse(await done('uploads', 'list', 'lane', '--stream', 'stopped', '--json'));
    assert.deepEqual(uploads, []);
  });

  it('go on where a killed command broke off, while the files are the same', async () => {
    const bytes = randomBytes(40_000_000);
    await writeFile(join(place.folder, 'long.mrc'), bytes);
    await done('streams', 'add', 'lane', 'killed');
    let kill: (() => void) | undefined;
    let sent = 0;
    const proxy = await startHttpProxy(Number(new URL(server).port), {
      onSent(_, count) {
        sent = count;
        if (count > 25_000_000) kill?.();
      },
    });
    const args = ['upload', 'lane', 'long.mrc', '--stream', 'killed', '--server', proxy.url, '--json'];
    const isKilled = async () => {
      const sending = place.startProcess(args);
      kill = () => {
        kill = undefined;
        sending.signal('SIGKILL');
      };
      await sending.exit();
      assert.equal(kill, undefined);
      proxy.answers.length = 0;
    };
    const isSent = async (expected: Buffer) => {
      const { exitCode, stdout, stderr } = await place.run(args);
      assert.equal(exitCode, 0, stderr);
      assert.equal(JSON.parse(stdout).files[0].sha256, hash('sha256', expected));
    };
    try {
      await isKilled();
      await isSent(bytes);
      assert.ok(sent < bytes.length, `${sent} bytes were sent again`);
      assert.ok(!proxy.answers.includes('POST 201'), 'another one was begun');

      await isKilled();
      const other = randomBytes(40_000_000);
      await writeFile(join(place.folder, 'long.mrc'), other);
      await isSent(other);
      assert.ok(proxy.answers.includes('POST 201'), 'it went on with other bytes');
    } finally {
      await proxy.close();
    }
  });

  it('are uploads when they are stopped after their last byte was stored', async () => {
    await writeFile(join(place.folder, 'long.mrc'), randomBytes(35_000_000));
    await done('streams', 'add', 'lane', 'late');
    const proxy = await startHttpProxy(Number(new URL(server).port), {
      onAnswered: (method) => method === 'PATCH' && sending.signal('SIGINT'),
    });
    const sending = place.start(['upload', 'lane', 'long.mrc', '--stream', 'late', '--server', proxy.url]);
    try {
      assert.equal(await sending.exit(), 0, sending.stderr);
      assert.match(sending.stdout, /^Uploaded 1 file, 35.0 MB: lane\/late\/1\n/);
    } finally {
      await proxy.close();
    }
  });

  it('stop when one of several files becomes shorter before it is read', async () => {
    for (const name of ['long.mrc', 'shrinks.mrc', 'last.mrc']) {
      await writeFile(join(place.folder, name), randomBytes(12_000_000));
    }
    await done('streams', 'add', 'lane', 'shorter');
    const onReached = () => truncateSync(join(place.folder, 'shrinks.mrc'), 1_000_000);
    const proxy = await startCuttingProxy(Number(new URL(server).port), { after: 1_000_000, times: 0, onReached });
    try {
      const args = ['upload', 'lane', 'long.mrc', 'shrinks.mrc', 'last.mrc', '--stream', 'shorter'];
      await fails([...args, '--server', proxy.url], 2, /shrinks\.mrc changed while it was sent: send it again/);
    } finally {
      await proxy.close();
    }
    const { uploads } = JSON.parse(await done('uploads', 'list', 'lane', '--stream', 'shorter', '--json'));
    assert.deepEqual(uploads, []);
  });

  it('are a form when their names do not fit into a header', async () => {
    const names = Array.from({ length: 150 }, (_, at) => `${'a long name of a file '.repeat(2)}${at}.mrc`);
    const bytes = randomBytes(250_000);
    for (const name of names) await writeFile(join(place.folder, name), bytes);
    await done('streams', 'add', 'lane', 'many');
    const { files } = JSON.parse(await done('upload', 'lane', ...names, '--stream', 'many', '--json'));
    assert.deepEqual(
      files.map(({ name }: { name: string }) => name),
      names,
    );
  });

  it('may name a URL, which the server fetches', async () => {
    const url = 'http://127.0.0.1:9/nightly/new.mrc?signature=1';
    const said = await done('upload', 'lane', '--url', url, '--stream', 'new');
    assert.match(said, /^The server fetches http:\/\/127.0.0.1:9\/nightly\/new.mrc: lane\/new\/\d+\nIts page: http/);
    await fails(['upload', 'lane'], 2, /name files, or a URL with --url/);
    await fails(['upload', 'lane', 'b.mrc', '--url', url], 2, /and not both/);
    await fails(
      ['upload', 'lane', '--url', 'ftp://example.org/a'],
      2,
      /did not take the upload: the url has the scheme ftp:/,
    );
  });

  it('have errors that are listed, and are tried again when they have failed', async () => {
    const bad = Buffer.from(marc('2'));
    bad.write('x', 26);
    await writeFile(join(place.folder, 'bad.mrc'), Buffer.concat([marc('1'), bad, marc('1')]));
    const { number } = JSON.parse(await done('upload', 'lane', 'bad.mrc', '--json'));
    const processed = await done('uploads', 'show', `lane/main/${number}`, '--wait');
    assert.match(
      processed,
      /errors: 1, and warnings .*: 1: list them with .*\n {4}1 time: 001: no id, since the field is missing\n {6}Likely cause: .*\n {6}What to do: /,
    );
    const listed = await place.run(['uploads', 'errors', `lane/main/${number}`]);
    assert.match(
      listed.stdout,
      /^bad\.mrc: number 2: the record has no field 001.*\nbad\.mrc: number 3.*: warning, .+\n$/,
    );
    assert.match(listed.stderr, /^1 time: 001: no id, since the field is missing\n {2}Likely cause: /m);
    assert.match(listed.stderr, /^1 time: warning: an id that came before in the file/m);
    const csv = (await done('uploads', 'errors', `lane/main/${number}`, '--csv')).split('\r\n');
    assert.match(csv[0]!, /^\ufefffile,path,ordinal,offset,id,title,field,/);
    assert.match(csv[1]!, /^1,bad\.mrc,2,\d+,,,001,.*,no-001,the record has no field 001/);
    const lines = (await done('uploads', 'errors', `lane/main/${number}`, '--json')).trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).ordinal),
      [2, 3],
    );
    await fails(['uploads', 'retry', `lane/main/${number}`], 2, /is processed: only one that has failed/);

    const { body } = await askJson(`${server}/api/organizations/lane/uploads`, { url: 'http://127.0.0.1:9/a.mrc' });
    const failed = `lane/main/${body.number}`;
    const shown = await place.run(['uploads', 'show', failed, '--wait']);
    assert.equal(shown.exitCode, 1, shown.stdout + shown.stderr);
    assert.match(shown.stdout, /status: failed\n {2}failed at .*: http:\/\/127\.0\.0\.1:9\/a\.mrc .*uploads retry/);
    assert.match(await done('uploads', 'retry', failed), /is processed again, as soon as a server is free/);
    assert.equal((await place.run(['uploads', 'show', failed, '--wait'])).exitCode, 1);
  });

  it('are refused with what is wrong', async () => {
    await fails(
      ['upload', 'lame', 'b.mrc'],
      2,
      /did not take the upload: there is no organization "lame": did you mean/,
    );
    await fails(['upload', 'lane', 'b.mrc', '--stream', 'mian'], 2, /no stream "mian": did you mean "main"\?/);
    await fails(['upload', 'lane', 'none.mrc'], 2, /none\.mrc cannot be read: it does not exist/);
    await mkdir(join(place.folder, 'folder'));
    await fails(['upload', 'lane', 'folder'], 2, /folder is not a regular file/);
    await fails(['upload', 'lane', 'b.mrc', '--server', 'ftp://example.org'], 2, /is not a URL of a server/);
    const free = `http://127.0.0.1:${await findFreePort()}`;
    await fails(
      ['upload', 'lane', 'größe "1".mrc', '--server', free],
      3,
      /did not answer: the server refuses the connection\n$/,
    );
    await writeFile(join(place.folder, 'token'), 'tdm_1_2\n');
    const token = ['--token-file', 'token'];
    await fails(['upload', 'lane', 'b.mrc', ...token, '--server', 'http://example.org'], 2, /could be read on the way/);
    await writeFile(join(place.folder, 'token'), 'tdm_1_2\ntdm_1_3\n');
    await fails(['upload', 'lane', 'b.mrc', ...token], 2, /token has more in it than a token: leave only that/);
    await writeFile(join(place.folder, 'token'), '\n');
    await fails(['upload', 'lane', 'b.mrc', ...token], 2, /token has no token in it/);
    await fails(
      ['uploads', 'show', 'lane/main'],
      2,
      /"lane\/main" is not an upload: write ORGANIZATION\/STREAM\/NUMBER/,
    );
    await fails(['uploads', 'show', 'lane/main/99'], 2, /the stream main of lane has no upload 99/);
    await fails(['uploads', 'show', 'lane/mian/1'], 2, /did you mean "main"\?/);
  });

  it('say what a server says that refuses before it has read them', async () => {
    const refusing = createServer((_request, response) => {
      response.writeHead(403, { 'Content-Type': 'application/json' }).end('{"error":{"message":"not you"}}');
    });
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    const { port } = refusing.address() as { port: number };
    try {
      const args = ['upload', 'lane', 'b.mrc', '--server', `http://127.0.0.1:${port}`];
      await fails(args, 2, /did not take the upload: not you/);
    } finally {
      refusing.closeAllConnections();
      await new Promise((resolve) => refusing.close(resolve));
    }
  });
});
