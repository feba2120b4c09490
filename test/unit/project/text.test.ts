import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { brokenLinks, missingFiles, missingNames, namesIn, textProblems } from '../../../scripts/text-rules.ts';

const LONG = 'x '.repeat(61);

describe('The check of texts', () => {
  for (const [what, path, text] of [
    ['a comment', 'a.ts', `const a = 1;\n// ${LONG}`],
    ['a line of a comment for documentation', 'a.ts', `/**\n * ${LONG}\n */`],
    ['prose of a page', 'a.md', `# Title\n\n${LONG}`],
    ['an item of a list', 'a.md', `- ${LONG}`],
  ] as const) {
    it(`finds ${what} with more than 120 characters`, () => {
      assert.match(textProblems({ path, text }).join(), /^a\.(ts|md):\d: 12\d characters: at most 120$/);
    });
  }

  for (const [what, path, text] of [
    ['a row of a table', 'a.md', `| ${LONG} |`],
    ['a block of code', 'a.md', `\`\`\`sh\n${LONG}\n\`\`\``],
    ['a link', 'a.md', `https://example.org/${'x'.repeat(120)}`],
    ['code', 'a.ts', `const a = '${LONG}';`],
    ['a comment of 120 characters', 'a.ts', `// ${'x'.repeat(117)}`],
  ] as const) {
    it(`accepts ${what}`, () => {
      assert.deepEqual(textProblems({ path, text }), []);
    });
  }

  for (const [path, text] of [
    ['a.ts', '/** Tells whether it is there. */'],
    ['a.ts', "it('is told to who posts', () => {});"],
    ['a.ts', 'const PATIENCE = 1_000;'],
    ['a.md', 'The check holds the state against the log.'],
    ['a.md', 'A page that is gone is made anew.'],
  ] as const) {
    it(`finds the private word in: ${text}`, () => {
      assert.match(textProblems({ path, text }).join('\n'), /^a\.(ts|md):1: "[^"]+": rather /);
    });
  }

  for (const [path, text] of [
    ['a.ts', "const names = ['teller', 'hardware'];"],
    ['a.ts', 'const isGone = (error) => isTidemarkError(error, "gone");'],
    ['scripts/services/unprivileged.ts', 'const NOBODY = 65_534;'],
    ['a.md', 'It is looked up in the catalog, and looks like a token.'],
  ] as const) {
    it(`finds no private word in: ${text}`, () => {
      assert.deepEqual(textProblems({ path, text }), []);
    });
  }

  for (const [name, exists] of [
    ['src/core/key.ts', true],
    ['core/key.ts', true],
    ['key.ts', true],
    ['core/*.ts', true],
    ['core/', true],
    ['core/lock.ts', false],
    ['ey.ts', false],
    ['stores/*.ts', false],
    ['stores/', false],
  ] as const) {
    it(`${exists ? 'finds' : 'reports'} the file that a page names ${name}`, () => {
      const page = { path: 'a.md', text: `# Title\n\nSee \`${name}\`.` };

      assert.deepEqual(missingFiles(page, ['src/core/key.ts']), exists ? [] : [`a.md:3: there is no ${name}`]);
    });
  }

  for (const [comment, problems] of [
    ['// See `readPage`.', []],
    ['/** As `Reader.#nextPage` and `readPage(uri)`, limited by `max_result_window`. */', []],
    ['// See `readUsualPage`.', ['a.ts:1: there is no readUsualPage in the code']],
  ] as const) {
    it(`${problems.length === 0 ? 'finds' : 'reports'} the names in: ${comment}`, () => {
      const names = new Set(
        namesIn({ text: "// lostPage\nimport { readPage } from './read.ts';\nclass Reader { #nextPage; }" }),
      );

      assert.deepEqual([...names].includes('lostPage'), false);
      assert.deepEqual(missingNames({ path: 'a.ts', text: comment }, names), problems);
    });
  }

  for (const [link, leads] of [
    ['b.md', true],
    ['../b.md#two-words', false],
    ['b.md#two-words-and-code', true],
    ['b.md#three', false],
    ['c.md', false],
    ['#here', true],
    ['#there', false],
    ['https://example.org/c.md', true],
  ] as const) {
    it(`${leads ? 'accepts' : 'reports'} the link ${link}`, () => {
      const page = { path: 'docs/a.md', text: `## Here\n\nSee [b](${link}).` };
      const read = (path: string) => (path === 'docs/b.md' ? '# Two words: `and code`' : undefined);

      assert.deepEqual(brokenLinks(page, read), leads ? [] : [`docs/a.md:3: the link ${link} leads nowhere`]);
    });
  }

  it('reads no links in blocks of code', () => {
    assert.deepEqual(
      brokenLinks({ path: 'a.md', text: '```js\n[a](b.md)\n```' }, () => undefined),
      [],
    );
  });
});

describe('Code and pages of datasets', () => {
  it('say bundle, and neither archive file nor container file (D16)', () => {
    const cwd = new URL('../../../', import.meta.url);
    const paths = globSync(['src/**/datasets/**/*.ts', 'docs/**/datasets.md'], { cwd: cwd.pathname });
    const wrong = /\b(?:archive|container)[ _-]?files?\b/i;
    assert.ok(paths.length > 100);
    assert.deepEqual(
      paths.filter((path) => wrong.test(readFileSync(new URL(path, cwd), 'utf8'))),
      [],
    );
  });
});
