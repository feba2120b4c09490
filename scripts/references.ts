import { readFileSync } from 'node:fs';
import { commandsReference } from '../src/cli/commands-reference.ts';
import { loadConfiguration } from '../src/config/load-configuration.ts';
import { setSettingsReference, settingsReference } from '../src/config/settings-reference.ts';
import { routesReference } from '../src/http/openapi/routes-reference.ts';
import type { ServedApp } from '../src/http/request/served-app.ts';
import { routeTable } from '../src/http/routes/route-table.ts';
import { conformanceReference } from './conformance.ts';
import { faultKindsReference } from './fault-kinds-reference.ts';

/** The parts of docs/ that are made from the code. */
export interface Reference {
  readonly file: URL;
  /** The page as it is. */
  readonly page: string;
  /** The page as the code would have it. */
  readonly made: string;
}

interface Part {
  readonly page: string;
  /** Distinguishes it from another part of the same page. */
  readonly of?: string;
  readonly make: () => string | Promise<string>;
}

const PARTS: readonly Part[] = [
  { page: 'commands.md', make: commandsReference },
  { page: 'configuration.md', make: settingsReference },
  { page: 'configuration.md', of: 'sets', make: setSettingsReference },
  { page: 'validator.md', make: conformanceReference },
  { page: 'errata.md', make: faultKindsReference },
  { page: 'http-api.md', make: () => routesReference(describedRoutes()) },
];

const END = '<!-- Until here -->';

/** Each page with all of its parts. */
export function references(): Promise<readonly Reference[]> {
  return Promise.all([...Map.groupBy(PARTS, ({ page }) => page)].map(([name, parts]) => referenceOf(name, parts)));
}

async function referenceOf(name: string, parts: readonly Part[]): Promise<Reference> {
  const file = new URL(`../docs/${name}`, import.meta.url);
  const page = readFileSync(file, 'utf8');
  let made = page;
  for (const { of, make } of parts) {
    const begin = `<!-- Made by scripts/make-references.ts${of === undefined ? '' : `: ${of}`} -->`;
    const from = made.indexOf(begin);
    const to = made.indexOf(END, from);
    if (from < 0 || to < 0) throw new Error(`docs/${name} has no place for its reference: ${begin} … ${END}`);
    made = `${made.slice(0, from)}${begin}\n\n${await make()}\n${made.slice(to)}`;
  }
  return { file, page, made };
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
  const app = new Proxy({ configuration } as unknown as ServedApp, {
    get: (parts, name) => Reflect.get(parts, name) ?? {},
  });
  return routeTable(app, new AbortController().signal);
}
