import assert from 'node:assert/strict';
import { auditSource, itWithScript } from '../support/check-scripts.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { readSource } from '../support/read-source.ts';
import { RULE_TABLE } from '../support/rule-table.ts';
import { type Answer, linksOf, type Source } from '../support/rules/source.ts';
import { RULES, violations } from '../support/rules.ts';
import { closeApps } from '../support/start-app.ts';
import { itWithXmllint, schemaErrors } from '../support/xsd.ts';
import { get } from './http.ts';
import { ReverseProxy } from './reverse-proxy.ts';
import { RichSource } from './rich-source.ts';
import { SOURCE_FAULTS } from './source-faults.ts';

describeOnEachStore('a running source', (store, itOnce) => {
  let proxy: ReverseProxy;
  let rich: RichSource;
  let earlier: Source;

  const read = async () => {
    const source = await readSource(proxy.baseUrl, { truth: rich.truth, before: earlier });
    return { ...source, answers: new Map([...source.answers, ...(await pagesOf(source))]) };
  };

  before(async () => {
    proxy = await ReverseProxy.start();
    rich = await RichSource.start(store, proxy);
    earlier = await readSource(proxy.baseUrl, { truth: rich.truth });
    await rich.goOn();
  });

  afterEach(() => {
    proxy.spoil = () => undefined;
  });

  after(async () => {
    await closeApps();
    // It was never started where the suite is skipped.
    await proxy?.close();
  });

  it('keeps every rule, at first and when it has gone on', async () => {
    assert.deepEqual(violations(earlier), []);
    assert.deepEqual(violations(await read()), []);
  });

  it('has something to judge: pages and windows of several sets, and resources of each', async () => {
    const { documents, answers } = await read();
    const names = [...documents.keys()];
    for (const part of ['files/resourcelist-', 'files/changelist-1', 'papers/resourcelist-', 'papers/changelist-1']) {
      assert.ok(names.filter((uri) => uri.includes(part)).length >= 3, part);
    }
    const resources = [...answers].filter(([uri]) => /\/resources\/|\/store\//.test(uri));
    assert.equal(resources.length, [...rich.truth.values()].flatMap((truth) => truth.resources).length);
  });

  for (const [number, title, spoil] of SOURCE_FAULTS) {
    itOnce(`breaks rule ${number} when ${title}`, async () => {
      proxy.spoil = spoil;
      assert.notDeepEqual(RULES[number]!(await read()), []);
    });
  }

  itOnce('has a planted fault for every rule that needs one', () => {
    const rules = RULE_TABLE.flatMap((section) => section.rules);
    const needed = rules.filter(([, , , judged]) => judged === 'source').map(([number]) => number);
    assert.deepEqual([...new Set(SOURCE_FAULTS.map(([number]) => number))], needed);
  });

  itWithXmllint('publishes documents that are all valid by our schemas', async () => {
    const { documents } = await read();
    for (const { uri, text } of documents.values()) assert.deepEqual(schemaErrors(text), [], uri);
  });

  itWithScript('audit', 'leaves an auditor nothing to find', async () => {
    const { exitCode, output } = await auditSource(proxy.baseUrl);
    assert.equal(exitCode, 0, output);
  });
});

describe('a source whose sets were moved', () => {
  it('keeps every rule, at once and when it has gone on', async () => {
    const proxy = await ReverseProxy.start();
    try {
      const rich = await RichSource.start(SQLITE, proxy);
      await rich.move();
      const moved = await readSource(proxy.baseUrl, { truth: rich.truth });
      assert.deepEqual(violations(moved), []);
      await rich.goOn();
      assert.deepEqual(violations(await readSource(proxy.baseUrl, { truth: rich.truth, before: moved })), []);
    } finally {
      await closeApps();
      await proxy.close();
    }
  });
});

/** What the pages for people answer that its documents lead to. */
async function pagesOf({ documents }: Source): Promise<ReadonlyMap<string, Answer>> {
  const pages = new Map<string, Answer>();
  for (const uri of [...documents.values()].flatMap(({ root }) => linksOf(root, 'describedby'))) {
    const { status, headers, body } = await get(uri!);
    pages.set(uri!, { status, headers: headers as Record<string, string>, body });
  }
  return pages;
}
