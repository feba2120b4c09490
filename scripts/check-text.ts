import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brokenLinks, missingFiles, missingNames, namesIn, textProblems } from './text-rules.ts';

const CHECKOUT = join(import.meta.dirname, '..');
const FOLDERS = ['src', 'scripts', 'test', 'docs', 'mappings'];
const CODE = /\.(?:ts|js)$/;
const PAGES = ['README.md', 'CHANGELOG.md'];
/** Pages that say which file does what. */
const isMap = (path: string) =>
  path === 'README.md' ||
  path === 'test/README.md' ||
  path === 'docs/architecture.md' ||
  path.startsWith('docs/internals/');
/** Pages that are made of the code, where their text is checked. */
const GENERATED = ['docs/commands.md', 'docs/http-api.md'];
/** They contain the private words, to forbid them. */
const LISTS_OF_WORDS = ['scripts/text-rules.ts', 'test/unit/project/text.test.ts'];

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(CHECKOUT, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
);
const texts = [...files.filter((file) => /\.(?:ts|js|md)$/.test(file)), ...PAGES].filter(
  (file) => !GENERATED.includes(file) && !LISTS_OF_WORDS.includes(file),
);
const names = new Set(files.filter((file) => CODE.test(file)).flatMap((path) => namesIn({ text: read(path) ?? '' })));
const problems = texts.flatMap((path) => {
  const file = { path, text: read(path)! };
  return [
    ...textProblems(file),
    ...missingNames(file, names),
    ...(isMap(path) ? missingFiles(file, files) : []),
    ...(path.endsWith('.md') ? brokenLinks(file, read) : []),
  ];
});

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** The text of a file; empty for a folder or a picture. */
function read(path: string): string | undefined {
  const place = join(CHECKOUT, path);
  if (!existsSync(place)) return undefined;
  return /\.(?:ts|js|md)$/.test(path) ? readFileSync(place, 'utf8') : '';
}
