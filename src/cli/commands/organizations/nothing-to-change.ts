import { Command } from 'commander';
import { TidemarkError } from '../../../core/errors.ts';

/** What a command without options says that changes something: all that it takes. @param add adds its options */
export function nothingToChange(add: (command: Command) => void): TidemarkError {
  const command = new Command();
  add(command);
  const flags = command.options.map((option) => option.flags.replace(/<(.+)>/, (_, name) => name.toUpperCase()));
  return new TidemarkError('invalid', `give something to change: ${flags.slice(0, -1).join(', ')} or ${flags.at(-1)}`);
}
