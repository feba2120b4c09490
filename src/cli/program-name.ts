import { basename, delimiter, dirname, relative } from 'node:path';
import { FIRST_WORDS } from './help-topics.ts';

interface Called {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  cwd(): string;
}

/** The words with which the program was called: commands that begin with it work when pasted into the same shell. */
export function programName({ argv, env, cwd }: Called): string {
  // Set by bin/tidemark and by tidemark-service.
  if (env.CALLED_AS !== undefined && env.CALLED_AS !== '') return env.CALLED_AS;
  if (env.npm_lifecycle_event === 'start') return 'npm start --';
  const script = argv[1] ?? 'tidemark';
  if (env.npm_command === 'exec') {
    const from = env.npm_config_package ?? '';
    return from === '' ? 'npx tidemark' : `npx --package ${quoted(from)} tidemark`;
  }
  if (basename(script) === 'main.js') return `node ${quoted(shortPath(cwd(), script))}`;
  const isOnPath = (env.PATH ?? '').split(delimiter).includes(dirname(script));
  return isOnPath ? basename(script) : quoted(shortPath(cwd(), script));
}

const COMMAND = new RegExp(`\\btidemark (?=(?:${[...FIRST_WORDS, '--help'].join('|')})\\b)`, 'g');

/** Replaces the program name in the commands of a text by the words with which the program was called. */
export function withProgramName(text: string, program: string): string {
  return program === 'tidemark' ? text : text.replace(COMMAND, () => `${program} `);
}

function shortPath(folder: string, path: string): string {
  const short = relative(folder, path);
  if (short.startsWith('..')) return path;
  return short.includes('/') ? short : `./${short}`;
}

/** Quotes a word for a shell. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
