import { TidemarkError } from '../../src/core/errors.ts';
import { ProcessChannel } from '../../src/processes/process-channel.ts';

/** What the process at the other end of a channel answers. */
export type Asked = {
  readonly double: { readonly ask: number; readonly answer: number };
  readonly refuse: { readonly ask: string; readonly answer: unknown };
  readonly wait: { readonly ask: undefined; readonly answer: unknown };
  readonly end: { readonly ask: undefined; readonly answer: unknown };
};

/** What it asks itself, to answer `double`. */
export type Asks = { readonly add: { readonly ask: readonly number[]; readonly answer: number } };

const channel: ProcessChannel<Asks, Asked> = new ProcessChannel<Asks, Asked>(process, {
  double: (number) => channel.ask('add', [number, number]),
  refuse: (why) => {
    throw new TidemarkError('not-ready', why, { set: 'maps' });
  },
  wait: () => new Promise(() => {}),
  end: () => process.exit(3),
});

process.once('disconnect', () => process.exit());
