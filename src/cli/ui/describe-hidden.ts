import type { HiddenFiles, ResourceSet } from '../../core/resource-set.ts';
import { excludingHidden, namesOfHidden } from '../../sources/hidden-files.ts';
import { quoted } from '../program-name.ts';

/** Names the hidden files that a set publishes, and the command that leaves them out. */
export function describeHidden({ slug, exclude }: ResourceSet, hidden: HiddenFiles): string {
  const options = excludingHidden(exclude).map((pattern) => ` --exclude ${quoted(pattern)}`);
  return `Hidden files are published, too: ${namesOfHidden(hidden)}. To leave them out: tidemark sets change ${slug}${options.join('')}`;
}
