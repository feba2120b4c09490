import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../../mappings/', import.meta.url);
/** The section of mappings/README.md that has the fields of a template. */
const SECTIONS: Readonly<Record<string, string>> = {
  'resources.json': 'Resources and changes',
  'changes.json': 'Resources and changes',
  'log.json': 'Log',
  'ledgers.json': 'Ledgers',
  'catalog.json': 'Catalog',
  'jobs.json': 'Jobs',
};

interface Mapping {
  readonly properties?: Readonly<Record<string, Mapping>>;
}

describe('mappings/README.md', () => {
  const page = readFileSync(new URL('README.md', FOLDER), 'utf8');

  for (const file of readdirSync(FOLDER).filter((name) => name.endsWith('.json'))) {
    it(`says what each field of ${file} means`, () => {
      const { mappings } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { mappings: Mapping };
      const section = sectionOf(page, SECTIONS[file] ?? assert.fail(`no section is about ${file}`));

      const missing = fieldsOf(mappings).filter((field) => !section.includes(`\n| \`${field}\` | `));
      assert.deepEqual(missing, []);
    });
  }

  it('describes no field that does not exist', () => {
    const all = Object.keys(SECTIONS).flatMap((file) => {
      const { mappings } = JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as { mappings: Mapping };
      return fieldsOf(mappings).map((field) => `${SECTIONS[file]}: ${field}`);
    });
    const listed = [...new Set(Object.values(SECTIONS))].flatMap((title) => {
      const rows = sectionOf(page, title).matchAll(/^\| `([^`]+)` \| /gm);
      return [...rows].map(([, field]) => `${title}: ${field}`);
    });

    assert.deepEqual(
      listed.filter((field) => !all.includes(field)),
      [],
    );
  });
});

function sectionOf(page: string, title: string): string {
  const begin = page.indexOf(`\n## ${title}\n`);
  assert.ok(begin >= 0, `there is no section "${title}"`);
  const end = page.indexOf('\n## ', begin + 1);
  return page.slice(begin, end < 0 ? undefined : end);
}

function fieldsOf({ properties = {} }: Mapping, above = ''): readonly string[] {
  return Object.entries(properties).flatMap(([name, mapping]) => [
    above + name,
    ...fieldsOf(mapping, `${above}${name}.`),
  ]);
}
