import { TidemarkError } from '../domain/errors.ts';
import type { CliCommand } from './cli-command.ts';
import { EXIT } from './exit-code.ts';
import { viewSet } from './set-view.ts';
import { withExistingApp } from './with-app.ts';

interface Options {
  readonly private?: boolean;
  readonly public?: boolean;
}

export const setsChange: CliCommand<Options> = {
  group: 'sets',
  usage: 'change <id>',
  summary: 'Makes a set private, or public again.',

  options(command) {
    command
      .option('--private', 'only for those whose token may read it; for everybody else, as if it never was')
      .option('--public', 'for everybody');
  },

  async run(call) {
    const isPrivate = call.options.private === true;
    if (isPrivate === (call.options.public === true)) {
      throw new TidemarkError('invalid', 'say what the set is to be: --private or --public');
    }
    const [slug = ''] = call.args;
    const view = await withExistingApp(call, async (app) => viewSet(app, await app.sets.setPrivate(slug, isPrivate)));
    await call.terminal.print(`The set ${view.set} is ${isPrivate ? 'private' : 'public'} now.`, view);
    if (isPrivate) call.terminal.tell('What others have copied or cached of it until now, they still have.');
    return EXIT.done;
  },
};
