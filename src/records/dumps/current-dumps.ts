import type { DumpKind } from './stored-stream-dump.ts';

interface ListedDump {
  readonly number: number;
  readonly kind: DumpKind;
  readonly files: readonly { readonly kind: string }[];
}

/**
 * The last full dump and the deltas after it, oldest first: all that a client needs.
 * @param dumps oldest first
 */
export function currentDumps<Dump extends ListedDump>(dumps: readonly Dump[]): readonly Dump[] {
  const full = dumps.findLast(({ kind }) => kind === 'full');
  return full === undefined ? [] : dumps.filter(({ number }) => number >= full.number);
}

/**
 * The files of a dump in one form: its records, and the ids to delete behind them.
 * @param form a kind of files with records, such as `marcxml`
 */
export function filesInForm<Dump extends ListedDump>({ files }: Dump, form: string): Dump['files'] {
  return [form, 'deletes'].flatMap((kind) => files.filter((file) => file.kind === kind));
}
