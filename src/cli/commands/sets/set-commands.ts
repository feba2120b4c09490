import type { App } from '../../../app.ts';
import { changedFields } from '../../../config/set/changed-fields.ts';
import { type SetValues, setSettingsOf } from '../../../config/set/set-settings.ts';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import { parseUrlPrefix } from '../../../sets/new-set.ts';
import { requireRemovable } from '../../../sets/remove-set.ts';
import { askToConfirm } from '../../ask-to-confirm.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { addSetOptions, readSetOptions } from '../../set-options.ts';
import { describeSet, type OperatorSetView, viewSet, viewSets } from '../../set-view.ts';
import { formatTable, plural } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

export const setsList: CliCommand = {
  group: 'sets',
  usage: 'list',
  summary: 'Lists the sets.',
  examples: [['sets list', 'lists them with their numbers of resources and changes']],

  async run(call) {
    const sets = await withExistingApp(call, viewSets);
    const rows = sets.map((view) => {
      const { resources, changes, lastChange = '(none)', root, from, publishes, urlPrefix } = view;
      return [named(view), resources, changes, lastChange, root ?? from ?? publishes ?? urlPrefix];
    });
    const table = formatTable(['SET', 'RESOURCES', 'CHANGES', 'LAST CHANGE', 'SOURCE OR PREFIX'], rows);
    await call.terminal.print(rows.length === 0 ? 'There is no set.' : table, { sets });
  },
};

function named({ set, private: isPrivate, trouble }: OperatorSetView): string {
  return `${set}${isPrivate ? ' (private)' : ''}${trouble === undefined ? '' : ' (not in sync)'}`;
}

export const setsShow: CliCommand = {
  group: 'sets',
  usage: 'show <id>',
  summary: 'Shows one set.',
  examples: [['sets show maps', 'shows settings, numbers and documents']],

  async run(call) {
    const view = await withExistingApp(call, async (app) => viewSet(app, await app.sets.bySlug(call.args[0]!)));
    await call.terminal.print(describeSet(view), view);
  },
};

export const setsChange: CliCommand = {
  group: 'sets',
  usage: 'change <id>',
  summary: "Changes settings of a set. An empty argument puts back the default: --title ''.",
  examples: [
    ["sets change maps --title 'Maps of Europe'", 'changes the title'],
    ["sets change maps --exclude ''", 'leaves out no files any more'],
  ],

  options(command) {
    addSetOptions(command, 'sets change');
  },

  async run(call) {
    const [slug = ''] = call.args;
    const values = readSetOptions(call.options, 'sets change', call.workingDirectory);
    requireSome(values);
    const view = await withExistingApp(call, async (app) => {
      const set = await app.sets.bySlug(slug);
      return viewSet(app, await app.sets.change(slug, changedFields(values, set, call.loaded.configuration)));
    });
    await call.terminal.print(describeChanged(view.set, values), view);
    if (values.private === true) call.terminal.say('Copies that clients have made until now remain with them.');
  },
};

function requireSome(values: SetValues): void {
  if (Object.values(values).some((value) => value !== undefined)) return;
  throw new TidemarkError('invalid', 'give at least one setting to change, such as --title TEXT');
}

function describeChanged(slug: string, values: SetValues): string {
  const names = setSettingsOf('sets change').filter((name) => values[name] !== undefined);
  const { private: isPrivate } = values;
  if (names.length === 1 && typeof isPrivate === 'boolean')
    return `The set ${slug} is ${isPrivate ? 'private' : 'public'} now.`;
  return `Changed ${names.join(', ')} of the set ${slug}.`;
}

interface MoveOptions {
  readonly confirmMove?: boolean;
}

export const setsMove: CliCommand<MoveOptions> = {
  group: 'sets',
  usage: 'move <id> <url-prefix>',
  summary: 'Moves the resources of a set to another URL prefix. Every URI changes, and a new history begins.',
  examples: [
    ['sets move papers https://www.example.org/papers/ --confirm-move', 'after another server has taken them over'],
  ],

  options(command) {
    command.option('--confirm-move', 'yes, begin a new history; without this, a terminal asks');
  },

  async run(call) {
    const [slug = '', urlPrefix = ''] = call.args;
    const { view, isMoved } = await withExistingApp(call, async (app) => {
      const set = await app.sets.bySlug(slug);
      const { urlPrefix: before } = set;
      const hasPrefix = parseUrlPrefix(urlPrefix) === before && set.moving === undefined;
      if (hasPrefix) return { view: await viewSet(app, set), isMoved: false };
      const what = `every URI of ${slug} begins with ${before} now; a move changes them all and begins a new history (a new epoch)`;
      const question = `Move it? E${what.slice(1)}.`;
      if (call.options.confirmMove !== true && !(await askToConfirm(call, question)))
        throw new TidemarkError('conflict', `${what}. Say --confirm-move to do it`, { set: slug, urlPrefix: before });
      return { view: await viewSet(app, await app.sets.move(slug, urlPrefix)), isMoved: true };
    });
    const text = isMoved
      ? `Moved ${view.set} to ${view.urlPrefix}; its epoch is now ${view.epoch}.`
      : `${view.set} is at ${view.urlPrefix} already: nothing was moved.`;
    await call.terminal.print(text, view);
  },
};

interface RenewOptions {
  readonly confirm?: boolean;
}

export const setsRenew: CliCommand<RenewOptions> = {
  group: 'sets',
  usage: 'renew [id]',
  summary:
    'Begins a new history of one set, or of all, with its current resources: after a backup of the store was restored by other means than `tidemark restore`. Run it before a server is started on that store.',
  examples: [['sets renew --confirm', 'of all sets']],

  options(command) {
    command.option('--confirm', 'yes, begin a new history; without this, a terminal asks');
  },

  async run(call) {
    const [slug] = call.args;
    const renewed = await withExistingApp(call, async (app) => {
      const slugs =
        slug === undefined ? (await app.sets.list()).map((set) => set.slug) : [(await app.sets.bySlug(slug)).slug];
      const what = describeRenewal(slugs);
      const question = `Begin a new history? I${what.slice(1)}.`;
      if (call.options.confirm !== true && !(await askToConfirm(call, question))) throw unconfirmedRenew(slugs, what);
      return renewAll(app, slugs);
    });
    const lines = renewed.map(({ set, epoch }) => `Renewed ${set}; its epoch is now ${epoch}.`);
    await call.terminal.print(lines.join('\n') || 'There is no set.', { sets: renewed });
  },
};

async function renewAll(app: App, slugs: readonly string[]) {
  const renewed = [];
  for (const slug of slugs) renewed.push(await viewSet(app, await app.sets.renew(slug)));
  return renewed;
}

function describeRenewal(sets: readonly string[]): string {
  const which = sets.length === 1 ? `"${sets[0]}"` : `these ${sets.length} sets`;
  return `it makes every client copy ${which} anew (a new epoch). That is needed when the store was restored from a backup, because clients know changes that the backup has lost`;
}

function unconfirmedRenew(sets: readonly string[], what: string): TidemarkError {
  return new TidemarkError('conflict', `a new history must be confirmed: ${what}. Say --confirm to do it`, { sets });
}

interface RemoveOptions {
  readonly confirm?: boolean;
}

export const setsRemove: CliCommand<RemoveOptions> = {
  group: 'sets',
  usage: 'remove <id>',
  summary:
    'Takes a set out of the source. Files are not touched. Its id cannot be used again, unless the set never had a change.',
  examples: [
    ['sets remove maps', 'asks when the set has changes'],
    ['sets remove maps --confirm', 'in a script'],
  ],

  settings: ['artifacts', 's3Timeout'],

  options(command) {
    command.option('--confirm', 'yes, remove it; without this, a terminal asks when the set has changes');
  },

  async run(call) {
    const id = call.args[0]!;
    const isFree = await withExistingApp(call, async (app) => {
      const { dumps, listArchives, versions } = app.publishing;
      const { sets, index } = app;
      const found = await sets.bySlug(id);
      requireRemovable(found);
      const { changes } = await index.summary(found.id);
      const what = `the set ${id} has ${plural(changes, 'change')}: clients lose it for good, and its id cannot be used again`;
      const isConfirmed = changes === 0 || call.options.confirm === true;
      if (!isConfirmed && !(await askToConfirm(call, `Remove it? T${what.slice(1)}.`)))
        throw unconfirmedRemove(id, what);
      const set = await sets.bySlug(id);
      const isFree = await sets.remove(id);
      await removeStored(call, 'package', async () => {
        return (await dumps.removeAll(set.id)) + (await dumps.changes.removeAll(set.id));
      });
      await removeLists(call, () => listArchives.removeAll(set.id));
      await removeStored(call, 'version', () => versions.removeAll(set.id));
      if ((await app.sources.removeCopies()) > 0) call.terminal.say('Removed its copy of the other source.');
      return isFree;
    });
    const message = isFree ? `Removed the set ${id}; its id can be used again.` : `Removed the set ${id}.`;
    await call.terminal.print(message, { removed: id });
  },
};

/** Removes stored files. The set itself is already removed, whatever happens here. */
async function removeStored(
  { terminal }: Call,
  what: 'package' | 'version',
  remove: () => Promise<number>,
): Promise<void> {
  const of = what === 'package' ? 'of its dumps' : 'of its resources';
  try {
    const removed = await remove();
    if (removed > 0) terminal.say(`Removed ${plural(removed, what)} ${of}.`);
  } catch (error) {
    if (!isTidemarkError(error, 'unavailable') && !isTidemarkError(error, 'conflict')) throw error;
    terminal.say(`The ${what}s ${of} are removed later, by the job remove-old-packages: ${error.message}`);
  }
}

/** Same as for its packages. */
async function removeLists({ terminal }: Call, remove: () => Promise<number>): Promise<void> {
  try {
    const removed = await remove();
    if (removed > 0) terminal.say(`Removed its archive: ${plural(removed, 'file')}.`);
  } catch (error) {
    if (!isTidemarkError(error, 'unavailable')) throw error;
    terminal.say(`The files of its archive are removed later, by the job remove-unused-lists: ${error.message}`);
  }
}

function unconfirmedRemove(set: string, what: string): TidemarkError {
  return new TidemarkError('conflict', `${what}. Say --confirm to remove it`, { set });
}
