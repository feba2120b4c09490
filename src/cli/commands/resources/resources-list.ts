import type { CliCommand } from '../../cli-command.ts';
import { withExistingApp } from '../../with-app.ts';
import { resourceLine } from './resource-line.ts';

export const resourcesList: CliCommand = {
  group: 'resources',
  usage: 'list <id>',
  summary: 'Lists all resources in the order of their paths or URIs, one a line, with the time of the last change.',
  examples: [['resources list maps', 'lists what the set has now']],

  async run(call) {
    const { terminal, args, stopped } = call;
    await withExistingApp(call, async ({ sets, index }) => {
      const set = await sets.bySlug(args[0]!);
      for await (const batch of index.read(set.id, {})) {
        stopped.throwIfAborted();
        await terminal.write(batch.map((resource) => resourceLine(set, resource, terminal.json)).join(''));
      }
    });
  },
};
