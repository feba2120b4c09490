import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import { requireRemovable } from '../../../sets/remove-set.ts';
import { askToConfirm } from '../../ask-to-confirm.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { EXIT } from '../../exit-code.ts';
import { plural } from '../../ui/table.ts';
import { withExistingApp } from '../../with-app.ts';

interface Options {
  readonly confirm?: boolean;
}

export const setsRemove: CliCommand<Options> = {
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
      if (!isConfirmed && !(await askToConfirm(call, `Remove it? T${what.slice(1)}.`))) throw unconfirmed(id, what);
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
    return EXIT.done;
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

function unconfirmed(set: string, what: string): TidemarkError {
  return new TidemarkError('conflict', `${what}. Say --confirm to remove it`, { set });
}
