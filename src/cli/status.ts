import type { App } from '../app.ts';
import { type Configuration, describeStore } from '../config/configuration.ts';
import type { CliCommand } from './cli-command.ts';
import { EXIT } from './exit-code.ts';
import { viewSets } from './set-view.ts';
import { keptBaseUrl } from './settle-base-url.ts';
import { formatTable } from './table.ts';
import { VERSION } from './version.ts';
import { withExistingApp } from './with-app.ts';

export const status: CliCommand = {
  usage: 'status',
  summary: 'Shows the source: its base URL, its store, and its sets.',

  async run(call) {
    const view = await withExistingApp(call, (app) => viewStatus(app, call.loaded.configuration));
    await call.terminal.print(describe(view), view);
    return EXIT.done;
  },
};

type StatusView = Awaited<ReturnType<typeof viewStatus>>;

async function viewStatus(app: App, { store, dataFolder }: Configuration) {
  const sets = await viewSets(app);
  return {
    version: VERSION,
    baseUrl: await keptBaseUrl(app),
    store: describeStore(store),
    dataFolder,
    /** Whether every set has its first scan, or its import, behind it. */
    ready: sets.every(({ ready }) => ready),
    sets: sets.map(({ set, resources, changes, lastChange, ready }) => ({
      set,
      resources,
      changes,
      lastChange,
      ready,
    })),
  };
}

function describe({ version, baseUrl = '(none yet)', store, dataFolder, sets }: StatusView): string {
  const rows = sets.map(({ set, resources, changes, lastChange = '(none)', ready }) => {
    return [set, resources, changes, lastChange, ready ? 'ready' : 'not complete yet'];
  });
  return [
    `Tidemark ${version}`,
    `Base URL     ${baseUrl}`,
    `Store        ${store}`,
    `Data folder  ${dataFolder}`,
    '',
    rows.length === 0 ? 'There is no set.' : formatTable(['SET', 'RESOURCES', 'CHANGES', 'LAST CHANGE', 'STATE'], rows),
  ].join('\n');
}
