import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { isChainId } from '../artifacts/keys/log-keys.ts';
import { TidemarkError } from '../core/errors.ts';
import { formatStamp } from '../core/stamp.ts';
import { ArchiveChain, type ListedChain, listChains } from './archive-chain.ts';

/**
 * The archive with an id, whatever is wrong with others; without an id, the only archive. A damaged archive counts,
 * too: it may have the newer history.
 * @throws TidemarkError `not-found`; `invalid` when there are several, or the archive is damaged
 */
export async function chooseChain(artifacts: ArtifactStore, id?: string | undefined): Promise<ArchiveChain> {
  if (id !== undefined && isChainId(id)) {
    const chain = new ArchiveChain(artifacts, id);
    if ((await chain.last()) !== undefined) return chain;
  }
  const chains = await listChains(artifacts);
  if (chains.length === 0) throw new TidemarkError('not-found', `there is no archive of a log in ${artifacts.name}`);
  const [{ chain, damage }] = chains as [ListedChain];
  if (id === undefined && chains.length === 1) {
    if (damage !== undefined) throw new TidemarkError('invalid', damage);
    return chain;
  }
  const problem = id === undefined ? 'has several archives' : `has no archive "${id}"`;
  throw new TidemarkError(
    id === undefined ? 'invalid' : 'not-found',
    `${artifacts.name} ${problem}; name one with --from:\n${chains.map(describeChain).join('\n')}`,
    { archives: chains.map((listed) => listed.chain.id) },
  );
}

function describeChain({ chain, last, damage }: ListedChain): string {
  if (last === undefined) return `  ${chain.id}  damaged: ${damage}`;
  const until = last.last === undefined ? 'no change' : `changes until ${formatStamp(last.last.stamp)}`;
  return `  ${chain.id}  ${last.total} changes, ${until}`;
}
