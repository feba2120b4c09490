import { dirname, join } from 'node:path';

/** A text file of this repository. */
export interface TextFile {
  /** Relative to the repository. */
  readonly path: string;
  readonly text: string;
}

interface Line {
  readonly number: number;
  readonly text: string;
}

const LONGEST_LINE = 120;

/** Words that meant something in this project alone, as a pattern, and what to write instead. Letters have any case. */
const PRIVATE_WORDS: readonly (readonly [string, string])[] = [
  ['tells?|told', 'reports, returns, lists, contains'],
  ['whoever|somebody|nobody|(?:to|for|only) who', 'the caller, a client, another process, no process'],
  ['stands?|stood|lies?|lay', 'is stored, is, exists'],
  ['(?:is|are|was|were|be|been|has|have) gone', 'was deleted, ended'],
  ['holds? [^.]{0,40} against', 'compares with'],
  ['a look|looks? (?:at|into|after)|looked (?:at|into|after)', 'reads, polls, checks'],
  ['up to date|in step', 'in sync; to bring up to date: to sync'],
  ['noter|keeper', '…Digester, …SyncLoop, …Cache'],
  ['moments?', 'time, stateVersion, token'],
  ['standing', 'current state, cursor'],
  ['patience|patiently|breath|pace', 'timeout, backoff, interval'],
  ['in turns|tak(?:es?|ing) turns', 'one at a time, alternately'],
  ['stock', 'cache scan'],
  ['house', 'code'],
];

/** Where one of these words is the right one. */
const REAL_USES: readonly { readonly path: string; readonly word: string; readonly because: string }[] = [
  { path: 'scripts/services/unprivileged.ts', word: 'nobody', because: 'the name of a user' },
  { path: 'scripts/services/README.md', word: 'nobody', because: 'the name of a user' },
  { path: 'test/support/temp-folder.ts', word: 'nobody', because: 'the name of a user' },
  { path: 'src/datasets/landing/crawl-landing.ts', word: 'moment', because: 'the title of a page of Cloudflare' },
  { path: 'test/datasets/hostile-landing-pages.test.ts', word: 'moment', because: 'the title of a page of Cloudflare' },
];

const CODE = /\.(?:ts|js)$/;

const NAME = /[A-Za-z_$][\w$]*/g;

/** Names in comments that are not of this repository. */
const FOREIGN_NAMES: readonly { readonly name: string; readonly because: string }[] = [
  { name: 'TypedArray', because: 'JavaScript has no binding for it' },
  { name: 'changesRead', because: 'copies of earlier versions have this fact' },
];

/** What is wrong with the text of a file: a line for each problem. */
export function textProblems(file: TextFile): string[] {
  return [...longLines(file), ...privateWords(file)];
}

/** Comments and prose that are longer than a line should be. Tables, blocks of code and links cannot be broken. */
function longLines({ path, text }: TextFile): string[] {
  const lines = CODE.test(path) ? commentLines(text) : proseLines(text);
  return lines
    .filter((line) => line.text.length > LONGEST_LINE && !line.text.includes('://'))
    .map((line) => `${path}:${line.number}: ${line.text.length} characters: at most ${LONGEST_LINE}`);
}

/** Words of the list above, in comments and prose as in code, but not as parts of longer names. */
function privateWords({ path, text }: TextFile): string[] {
  const real = REAL_USES.filter((use) => use.path === path).map(({ word }) => word);
  return numbered(text).flatMap((line) =>
    PRIVATE_WORDS.flatMap(([words, instead]) => {
      const word = new RegExp(`\\b(?:${words})\\b`, 'i').exec(line.text)?.[0];
      if (word === undefined || real.includes(word.toLowerCase())) return [];
      return [`${path}:${line.number}: "${word}": rather ${instead}`];
    }),
  );
}

/**
 * Files and folders that a page names (`core/key.ts`, `key.ts`, `sources/*.worker.ts`, `backup/`), of which none
 * exists.
 * @param files all files of the repository
 */
export function missingFiles({ path, text }: TextFile, files: readonly string[]): string[] {
  return numbered(text).flatMap((line) =>
    [...line.text.matchAll(/`([\w*][\w.*/-]*(?:\.ts|\.js|\.mjs|\/))`/g)]
      .map(([, name]) => name!)
      .filter((name) => !files.some((file) => isNamed(file, name)))
      .map((name) => `${path}:${line.number}: there is no ${name}`),
  );
}

/** All identifiers outside of comments, in code and in strings. */
export function namesIn({ text }: Pick<TextFile, 'text'>): readonly string[] {
  const comments = new Set(commentLines(text).map(({ number }) => number));
  return numbered(text)
    .filter(({ number }) => !comments.has(number))
    .flatMap((line) => line.text.replace(/ \/\/ .*$/, '').match(NAME) ?? []);
}

/**
 * Names in comments (`readPage`, `Reader.#next`, `Reader`) that no code has. Names without an inner capital, such as
 * `max_result_window`, may be those of other programs.
 * @param names as `namesIn` returns them, of all code
 */
export function missingNames({ path, text }: TextFile, names: ReadonlySet<string>): string[] {
  if (!CODE.test(path)) return [];
  return commentLines(text).flatMap((line) =>
    [...line.text.matchAll(/`#?([A-Za-z_$][\w$.#]*)(?:\([^`]*\))?`/g)]
      .flatMap(([, found]) => found!.match(NAME) ?? [])
      .filter((name) => /[a-z\d][A-Z]/.test(name) && !names.has(name))
      .filter((name) => !FOREIGN_NAMES.some((foreign) => foreign.name === name))
      .map((name) => `${path}:${line.number}: there is no ${name} in the code`),
  );
}

/**
 * Links of a page to files and headings of this repository that do not exist.
 * @param read returns the text of a file; undefined when there is none
 */
export function brokenLinks({ path, text }: TextFile, read: (path: string) => string | undefined): string[] {
  const leadsNowhere = (link: string): boolean => {
    const [file = '', heading] = link.split('#');
    const target = file === '' ? text : read(join(dirname(path), file));
    return target === undefined || (heading !== undefined && !headingsOf(target).includes(heading));
  };
  return proseAndTables(text).flatMap((line) =>
    [...line.text.matchAll(/\]\(([^):\s]+)\)/g)]
      .map(([, link]) => link!)
      .filter(leadsNowhere)
      .map((link) => `${path}:${line.number}: the link ${link} leads nowhere`),
  );
}

/** The names of headings in links, as GitHub makes them. */
function headingsOf(text: string): readonly string[] {
  const titles = text.matchAll(/^#+ (.*)$/gm);
  return [...titles].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(/\s/g, '-'),
  );
}

/** Whether a file, or a folder above it, ends with a name. `*` is any text without a slash. */
function isNamed(file: string, name: string): boolean {
  const pattern = name.split('*').map(RegExp.escape).join('[^/]*');
  return new RegExp(`(?:^|/)${pattern}${name.endsWith('/') ? '' : '$'}`).test(file);
}

function commentLines(text: string): readonly Line[] {
  return numbered(text).filter((line) => /^\s*(?:\/\/|\/?\*)/.test(line.text));
}

/** Lines of a page that can be broken: no tables, and no lines that begin with a link. */
function proseLines(text: string): readonly Line[] {
  return proseAndTables(text).filter((line) => !/^\s*(?:\||!?\[)/.test(line.text));
}

/** Lines of a page, but for blocks of code. */
function proseAndTables(text: string): readonly Line[] {
  let inBlock = false;
  return numbered(text).filter((line) => {
    const isFence = /^\s*```/.test(line.text);
    if (isFence) inBlock = !inBlock;
    return !isFence && !inBlock;
  });
}

function numbered(text: string): readonly Line[] {
  return text.split('\n').map((line, at) => ({ number: at + 1, text: line }));
}
