import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** What the tests check of a service; compose-spec has more. */
export interface ComposeService {
  readonly image?: string;
  readonly build?: string;
  readonly profiles?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly mem_limit?: string;
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly environment: string }>>;
}

export function repositoryFile(name: string): string {
  return readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
}

/** The variables that the Dockerfile sets. */
export function variablesOfImage(): Readonly<Record<string, string>> {
  const block = /^ENV ((?:.*\\\n)*.*)$/m.exec(repositoryFile('Dockerfile'))?.[1] ?? '';
  return Object.fromEntries([...block.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name!, value!]));
}

/**
 * Reads docker-compose.yml as compose does with these variables (by default, with a placeholder for each). Throws an
 * error that names a required one that is missing.
 */
export function readComposeFile(variables = placeholders()): ComposeFile {
  return parse(repositoryFile('docker-compose.yml'), (_key: unknown, value: unknown) =>
    typeof value === 'string' ? interpolate(value, variables) : value,
  );
}

function placeholders(): Readonly<Record<string, string>> {
  return Object.fromEntries([...composeVariables()].map((name) => [name, 'unused']));
}

/** The names of all variables that docker-compose.yml asks for. */
export function composeVariables(): ReadonlySet<string> {
  return new Set([...repositoryFile('docker-compose.yml').matchAll(/(?<!\$)\$\{(\w+)/g)].map(([, name]) => name!));
}

/**
 * `${NAME}`, `${NAME:-default}` and `${NAME:?complaint}`, of which a default may hold others; `$$` is a dollar sign.
 */
export function interpolate(text: string, variables: Readonly<Record<string, string>>): string {
  // Those without another one in them come first.
  const found = /(?<!\$)\$\{(\w+)(?::([-?])([^${}]*))?\}/.exec(text);
  if (found === null) return text.replaceAll('$$', '$');
  const [whole, name = '', operator, rest = ''] = found;
  const value = variables[name] || (operator === '-' ? rest : '');
  if (value === '' && operator === '?') throw new Error(`${name} ${rest}`);
  return interpolate(
    text.replace(whole, () => value),
    variables,
  );
}
