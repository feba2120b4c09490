import { changedFields } from '../../../config/set/changed-fields.ts';
import { type SetValues, setSettingsOf } from '../../../config/set/set-settings.ts';
import { TidemarkError } from '../../../core/errors.ts';
import type { CliCommand } from '../../cli-command.ts';
import { addSetOptions, readSetOptions } from '../../set-options.ts';
import { viewSet } from '../../set-view.ts';
import { withExistingApp } from '../../with-app.ts';

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
    await call.terminal.print(describe(view.set, values), view);
    if (values.private === true) call.terminal.say('Copies that clients have made until now remain with them.');
  },
};

function requireSome(values: SetValues): void {
  if (Object.values(values).some((value) => value !== undefined)) return;
  throw new TidemarkError('invalid', 'give at least one setting to change, such as --title TEXT');
}

function describe(slug: string, values: SetValues): string {
  const names = setSettingsOf('sets change').filter((name) => values[name] !== undefined);
  const { private: isPrivate } = values;
  if (names.length === 1 && typeof isPrivate === 'boolean')
    return `The set ${slug} is ${isPrivate ? 'private' : 'public'} now.`;
  return `Changed ${names.join(', ')} of the set ${slug}.`;
}
