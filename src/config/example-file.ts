import { documentedSettings } from './settings.ts';

const WIDTH = 100;

/** A configuration file in which every setting is a comment, with its meaning and its default. */
export function exampleFile(): string {
  const head = [
    '// Settings of Tidemark. To change one, remove the slashes before its name. A variable such as TIDEMARK_PORT',
    '// is stronger than this file, and a flag such as --port is stronger than both. Relative paths begin here.',
  ];
  const settings = documentedSettings().flatMap(([name, { variable, flag, meaning, default: byDefault }]) => [
    '',
    ...wrapped(`${meaning.replaceAll('`', '')} ${isLiteral(byDefault) ? '' : `Default: ${byDefault.slice(1, -1)}. `}`),
    `  // [${[flag?.split(' ')[0], variable].filter((from) => from !== undefined).join(', ')}]`,
    `  // ${JSON.stringify(name)}: ${exampleOf(byDefault)},`,
  ]);
  return [...head, '{', ...settings.slice(1), '}', ''].join('\n');
}

/** In the table of settings, a default in parentheses is a description. */
function isLiteral(byDefault: string): boolean {
  return !byDefault.startsWith('(');
}

function exampleOf(byDefault: string): string {
  if (!isLiteral(byDefault)) return '"…"';
  return /^(true|false|\d+)$/.test(byDefault) ? byDefault : JSON.stringify(byDefault);
}

function wrapped(text: string): readonly string[] {
  const lines = text.trim().matchAll(new RegExp(`(.{1,${WIDTH}})(?: |$)`, 'g'));
  return [...lines].map(([, line = '']) => `  // ${line}`);
}
