import type { NodePath as Path } from '@stryker-mutator/api/ignore';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** As much of Babel's nodes as is needed here. */
interface Node {
  readonly type: string;
  readonly callee?: { readonly name?: string };
  readonly expression?: Node;
}

interface NodePath extends Path {
  readonly node?: Node;
  readonly parent?: Node;
  readonly listKey?: string | undefined;
  readonly key?: string | number | null;
}

/**
 * Leaves out messages, which no test should repeat word for word, and failpoints, which do nothing unless a test arms
 * them.
 */
const ignorer = {
  shouldIgnore({ node, parent, listKey, key }: NodePath): string | undefined {
    if (node?.expression?.callee?.name === 'failpoint') return 'a failpoint';
    const isMessage = listKey === 'arguments' && parent?.callee?.name === 'TidemarkError' && key !== 0;
    return isMessage ? 'the message of an error' : undefined;
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, 'messages', ignorer)];
