import assert from 'node:assert/strict';
import { EPOCH_START, foldSteps, HISTORIES, type Step } from '../../../scripts/example-history.ts';
import { EXAMPLE_BASE_URL, exampleDocuments } from '../../../scripts/make-examples.ts';
import { keyOfPath, uriOf } from '../../../src/core/key.ts';
import type { ResourceState } from '../../../src/core/resource.ts';
import { resourcesPrefix } from '../../../src/core/set-uris.ts';
import { documentUri } from '../../../src/publish/documents.ts';
import { parseDocument } from '../parse-document.ts';
import type { Answer, Source, TrueState, Truth } from './source.ts';

const BASE = EXAMPLE_BASE_URL;
const HOME = `${BASE}/`;

/** The example source as if it had been read, to plant faults in: every document is what our renderers write. */
export class Sample {
  readonly texts = new Map(exampleDocuments({ withDumps: false }));
  /** The URIs of documents that were there at first. */
  readonly documents: ReadonlySet<string> = new Set(this.texts.keys());
  readonly answers = new Map<string, Answer>();
  readonly truth = new Map<string, Truth>();
  readAt = EPOCH_START / 1000 + 365 * 86_400_000;

  constructor() {
    for (const [slug, steps] of Object.entries(HISTORIES)) this.#addSet(slug, steps);
    for (const [uri, text] of this.texts) {
      this.answers.set(uri, { status: 200, headers: {}, body: Buffer.from(text), unpacked: Buffer.from(text) });
    }
    this.answers.set(HOME, {
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: Buffer.from('<html></html>'),
    });
    this.answers.set(`${BASE}/robots.txt`, { status: 200, headers: {}, body: Buffer.from('User-agent: *\n') });
  }

  /** Replaces something in a document; `path` is below the base URL. */
  edit(path: string, from: string | RegExp, to: string): this {
    const before = this.texts.get(BASE + path);
    assert.ok(before !== undefined, `there is no ${path}`);
    const after = before.replace(from, to);
    assert.notEqual(after, before, `${path} was not changed`);
    this.texts.set(BASE + path, after);
    return this;
  }

  /** Changes what GET answered. */
  answer(path: string, change: (answer: Answer) => Partial<Answer>): void {
    const answer = this.answers.get(BASE + path);
    assert.ok(answer !== undefined, `there is no ${path}`);
    this.answers.set(BASE + path, { ...answer, ...change(answer) });
  }

  drop(path: string): this {
    assert.ok(this.texts.delete(BASE + path), `there is no ${path}`);
    return this;
  }

  copy(path: string, to: string): void {
    this.texts.set(BASE + to, this.texts.get(BASE + path)!);
  }

  /** The source as it is now; before, it was as the renderers wrote it. */
  source(): Source {
    const description = documentUri(BASE, { kind: 'sourceDescription' });
    const { answers, truth, readAt } = this;
    const seen = { description, answers, truth, readAt };
    return {
      ...seen,
      documents: parsed(this.texts),
      before: { ...seen, documents: parsed(exampleDocuments({ withDumps: false })) },
    };
  }

  #addSet(slug: string, steps: readonly Step[]): void {
    const prefix = resourcesPrefix(BASE, slug);
    const capabilityList = documentUri(BASE, { kind: 'capabilityList', set: slug });
    const { changes, resources } = foldSteps(steps);
    this.truth.set(capabilityList, {
      resources: resources.map(({ key }) => uriOf(prefix, key)),
      changes: changes.map(({ key, state }) => ({ uri: uriOf(prefix, key), state: state && trueState(state) })),
    });
    for (const { key, state } of resources) {
      const { text } = steps.findLast(({ path }) => keyOfPath(path) === key)!;
      const headers = {
        'content-type': state.mime!,
        'last-modified': new Date(state.lastmod! * 1000).toUTCString(),
        link: `<${capabilityList}>; rel="resourcesync"`,
      };
      this.answers.set(uriOf(prefix, key), { status: 200, headers, body: Buffer.from(text!) });
    }
  }
}

function trueState({ hashes, length, mime, lastmod }: ResourceState): TrueState {
  return {
    hash: `sha-256:${hashes!['sha-256']}`,
    length: String(length),
    type: mime!.split(';')[0]!,
    lastmod: `${new Date(lastmod! * 1000).toISOString().slice(0, 19)}Z`,
  };
}

function parsed(texts: ReadonlyMap<string, string>): Source['documents'] {
  return new Map([...texts].map(([uri, text]) => [uri, parseDocument(uri, text)]));
}
