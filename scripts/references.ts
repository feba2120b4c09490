import { readFileSync } from 'node:fs';
import { commandsReference } from '../src/cli/commands-reference.ts';
import { loadConfiguration } from '../src/config/load-configuration.ts';
import { settingsReference } from '../src/config/settings-reference.ts';
import { routeTable } from '../src/http/route-table.ts';
import { routesReference } from '../src/http/routes-reference.ts';
import type { ServedApp } from '../src/http/served-app.ts';

/** The parts of docs/ that are made from the code. */
export interface Reference {
  readonly file: URL;
  /** The page as it is. */
  readonly page: string;
  /** The page as the code would have it. */
  readonly made: string;
}

const PARTS: readonly { readonly page: string; readonly make: () => string | Promise<string> }[] = [
  { page: 'commands.md', make: commandsReference },
  { page: 'configuration.md', make: settingsReference },
  { page: 'http-api.md', make: () => routesReference(describedRoutes()) },
];

const [BEGIN, END] = ['<!-- Made by scripts/make-references.ts -->', '<!-- Until here -->'];

export function references(): Promise<readonly Reference[]> {
  const made = PARTS.map(async ({ page: name, make }) => {
    const file = new URL(`../docs/${name}`, import.meta.url);
    const page = readFileSync(file, 'utf8');
    const [before, after] = [page.split(BEGIN)[0], page.split(END)[1]];
    if (after === undefined) throw new Error(`docs/${name} has no place for its reference: ${BEGIN} … ${END}`);
    return { file, page, made: `${before}${BEGIN}\n\n${await make()}\n${END}${after}` };
  });
  return Promise.all(made);
}

/** All routes to be read, not to be asked: there is no app behind them. */
export function describedRoutes(): ReturnType<typeof routeTable> {
  const loaded = loadConfiguration({
    flags: {},
    environment: {},
    workingDirectory: import.meta.dirname,
    configurationFile: undefined,
  });
  const configuration = loaded.configuration;
  return routeTable({ configuration } as unknown as ServedApp, new AbortController().signal);
}
