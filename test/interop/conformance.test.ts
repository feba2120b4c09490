import assert from 'node:assert/strict';
import { RULE_TABLE } from '../../src/client/validate/rules/rule-table.ts';
import { auditSource, itWithScript } from '../support/check-scripts.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { readSource } from '../support/read-source.ts';
import { brokenRules, checkSource, linesOf } from '../support/rules/check-source.ts';
import { OWNER_RULES, ownerViolations } from '../support/rules/owner.ts';
import type { Source } from '../support/rules/source.ts';
import { closeApps } from '../support/start-app.ts';
import { itWithXmllint, schemaErrors } from '../support/xsd.ts';
import { ReverseProxy } from './reverse-proxy.ts';
import { RichSource } from './rich-source.ts';
import { SOURCE_FAULTS } from './source-faults.ts';

/** All documents agree here: that something is missing in each, only the owner can know. */
const HIDDEN = new Set(['a listed resource has no change', 'only the last change of a resource is listed']);

describeOnEachStore('a running source', (store, itOnce) => {
  let proxy: ReverseProxy;
  let rich: RichSource;
  let earlier: Source;

  const read = () => readSource(proxy.baseUrl, { truth: rich.truth, before: earlier });

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

  it('keeps every rule, at first and after more changes', async () => {
    assert.deepEqual(ownerViolations(earlier), []);
    assert.deepEqual(ownerViolations(await read()), []);
    assert.deepEqual(linesOf(await checkSource(`${proxy.baseUrl}/`)), []);
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
      // A set that no description names is found only from below.
      const report = await checkSource(`${proxy.baseUrl}${number === 38 ? '/sets/empty/capabilitylist.xml' : '/'}`);
      if (!HIDDEN.has(title)) assert.notEqual(report.findings.length, 0, 'the validator finds it');
      const byOwner = brokenRules(report).includes(number) ? [] : OWNER_RULES[number]?.(await read());
      assert.ok(brokenRules(report).includes(number) || (byOwner ?? []).length > 0, linesOf(report).join('\n'));
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
  it('keeps every rule, at once and after more changes', async () => {
    const proxy = await ReverseProxy.start();
    try {
      const rich = await RichSource.start(SQLITE, proxy);
      await rich.move();
      const moved = await readSource(proxy.baseUrl, { truth: rich.truth });
      assert.deepEqual(ownerViolations(moved), []);
      assert.deepEqual(linesOf(await checkSource(`${proxy.baseUrl}/`)), []);
      await rich.goOn();
      assert.deepEqual(ownerViolations(await readSource(proxy.baseUrl, { truth: rich.truth, before: moved })), []);
    } finally {
      await closeApps();
      await proxy.close();
    }
  });
});
