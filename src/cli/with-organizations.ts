import type { App } from '../app.ts';
import type { Call } from './cli-command.ts';
import { settleBaseUrl } from './settle-base-url.ts';
import { withApp, withExistingApp } from './with-app.ts';

/** Settings of commands that change organizations or streams: their sets are published below the base URL. */
export const ORGANIZATION_SETTINGS = ['baseUrl', 'port'] as const;

/** Opens the app for a command that changes an organization of an existing store. */
export function changeOrganizations<Result>(
  call: Pick<Call, 'loaded'>,
  change: (app: App) => Promise<Result>,
): Promise<Result> {
  return withExistingApp(call, (app) => withSettledBaseUrl(app, call, change));
}

/** The same for a command that may make the store. */
export function addOrganizations<Result>(
  call: Pick<Call, 'loaded'>,
  add: (app: App) => Promise<Result>,
): Promise<Result> {
  return withApp(call, (app) => withSettledBaseUrl(app, call, add));
}

async function withSettledBaseUrl<Result>(
  app: App,
  { loaded }: Pick<Call, 'loaded'>,
  use: (app: App) => Promise<Result>,
): Promise<Result> {
  await settleBaseUrl(app, loaded);
  return use(app);
}
