import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { TidemarkError } from '../core/errors.ts';
import { formatStamp } from '../core/stamp.ts';
import { type ArchiveChain, listChains } from './archive-chain.ts';

/**
 * The archive with an id; without an id, the only archive.
 * @throws TidemarkError `not-found`; `invalid` when there are several
 */
export async function chooseChain(artifacts: ArtifactStore, id?: string | undefined): Promise<ArchiveChain> {
  const chains = await listChains(artifacts);
  if (chains.length === 0) throw new TidemarkError('not-found', `there is no archive of a log in ${artifacts.name}`);
  const wanted = id === undefined ? chains : chains.filter(({ chain }) => chain.id === id);
  if (wanted.length === 1) return wanted[0]!.chain;
  const list = chains.map(({ chain, last }) => {
    const until = last.last === undefined ? 'no change' : `changes until ${formatStamp(last.last.stamp)}`;
    return `  ${chain.id}  ${last.total} changes, ${until}`;
  });
  const problem = id === undefined ? 'has several archives' : `has no archive "${id}"`;
  throw new TidemarkError(
    id === undefined ? 'invalid' : 'not-found',
    `${artifacts.name} ${problem}; name one with --from:\n${list.join('\n')}`,
    { archives: chains.map(({ chain }) => chain.id) },
  );
}
