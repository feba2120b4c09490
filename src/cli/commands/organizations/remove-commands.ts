import { describeFreed, removalOfOrganization, removalOfStream } from '../../../api/removal-view.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { askToConfirm } from '../../ask-to-confirm.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { withExistingApp } from '../../with-app.ts';

interface RemoveOptions {
  readonly confirm?: boolean;
}

const SETTINGS = ['artifacts', 's3Timeout'] as const;
const CONFIRM = [
  '--confirm',
  'yes, remove it; without this, a terminal asks, and a script gets what it would free',
] as const;

export const streamsRemove: CliCommand<RemoveOptions> = {
  group: 'streams',
  usage: 'remove <organization> <stream>',
  summary:
    'Removes a stream with its uploads, records, dumps and sets, for good. The default stream cannot be removed. What is left where: docs/operating.md.',
  examples: [
    ['streams remove lane full-2025', 'says what that frees, and asks'],
    ['streams remove lane full-2025 --confirm', 'in a script'],
  ],
  settings: SETTINGS,

  options(command) {
    command.option(...CONFIRM);
  },

  async run(call) {
    const [organization = '', stream = ''] = call.args;
    const name = { organization, stream };
    const freed = await withExistingApp(call, async ({ records: { streamRemovals } }) => {
      const freed = await streamRemovals.measureStream(name);
      await requireConfirmed(call, removalOfStream(organization, stream, freed), { ...name, ...freed });
      await streamRemovals.beginStream(name);
      await streamRemovals.endStream(name, call.stopped);
      return freed;
    });
    const text = `Removed the stream ${stream} of ${organization}: ${describeFreed(freed)}. Its id and those of its sets stay taken.`;
    await call.terminal.print(text, { removed: stream, organization, ...freed });
  },
};

export const organizationsRemove: CliCommand<RemoveOptions> = {
  group: 'organizations',
  usage: 'remove <organization>',
  summary:
    'Removes an organization with all of its streams, collections, schedules and tokens, for good. Artifacts of its activities stay.',
  examples: [
    ['organizations remove lane', 'says what that frees, and asks'],
    ['organizations remove lane --confirm', 'in a script'],
  ],
  settings: SETTINGS,

  options(command) {
    command.option(...CONFIRM);
  },

  async run(call) {
    const [organization = ''] = call.args;
    const freed = await withExistingApp(call, async ({ records: { streamRemovals } }) => {
      const freed = await streamRemovals.measureOrganization(organization);
      await requireConfirmed(call, removalOfOrganization(organization, freed), { organization, ...freed });
      await streamRemovals.beginOrganization(organization);
      await streamRemovals.endOrganization(organization, call.stopped);
      return freed;
    });
    const text = `Removed the organization ${organization}: ${describeFreed(freed)}. Its id and those of its sets stay taken.`;
    await call.terminal.print(text, { removed: organization, ...freed });
  },
};

/** @throws TidemarkError `conflict` */
export async function requireConfirmed(
  call: Pick<Call<RemoveOptions>, 'options' | 'terminal' | 'stopped'>,
  what: string,
  details: Record<string, unknown>,
): Promise<void> {
  if (call.options.confirm === true || (await askToConfirm(call, `Remove it? T${what.slice(1)}.`))) return;
  throw new TidemarkError('conflict', `${what}. Say --confirm to remove it`, details);
}
