import { Command } from 'commander';
import { TidemarkError } from '../../../core/errors.ts';

/** The error of a change command without options; it lists the options. @param add adds the options of the command */
export function nothingToChange(add: (command: Command) => void): TidemarkError {
  const command = new Command();
  add(command);
  const flags = command.options.map((option) => option.flags.replace(/<(.+)>/, (_, name) => name.toUpperCase()));
  return new TidemarkError('invalid', `give something to change: ${flags.slice(0, -1).join(', ')} or ${flags.at(-1)}`);
}
