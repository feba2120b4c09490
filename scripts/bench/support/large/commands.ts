import { rmSync } from 'node:fs';
import { SET } from '../filled-source.ts';
import { runMirror } from '../mirror-client.ts';
import { makeMirrorState } from '../mirror-state.ts';
import { runMeasured } from '../run-measured.ts';
import type { TemporaryFolder } from '../temporary-folder.ts';
import type { LargeSource, Log } from './large-source.ts';

/** Work that reads a whole set. */
export interface Command {
  readonly seconds: number;
  /** Seconds of the processors. */
  readonly processor: number;
  /** MB at most. */
  readonly memory: number;
}

/** @throws Error when the state is not what the log says, or not all of the source was read */
export async function measureVerify({ tidemark, count }: LargeSource, log: Log): Promise<Command> {
  const measured = await runMeasured(tidemark, ['verify', SET]);
  const { equal, resources } = JSON.parse(measured.stdout);
  if (!equal || resources !== count)
    throw new Error(`of ${count} resources ${resources} were verified: ${measured.stdout}`);
  return reported('verified', toCommand(measured), log);
}

/** Archives the log, and makes an empty store of the same kind from it. */
export async function measureRebuild(
  source: LargeSource,
  { folder, log }: { readonly folder: TemporaryFolder; readonly log: Log },
): Promise<{ readonly archive: Command; readonly rebuild: Command }> {
  const place = folder.next('artifacts');
  const artifacts = ['--artifacts', `file:${place}`];
  const archived = await runMeasured(source.tidemark, ['archive', '--anew', ...artifacts]);
  const archive = reported('archived', toCommand(archived), log);
  const made = await source.empty();
  try {
    const from = ['--from', JSON.parse(archived.stdout).archive, ...artifacts];
    const rebuilt = await runMeasured(made.tidemark, ['rebuild', ...from]);
    return { archive, rebuild: reported('rebuilt', toCommand(rebuilt), log) };
  } finally {
    await made.remove();
    rmSync(place, { recursive: true, force: true });
  }
}

/** Compares the Resource List with a copy that has the resources as they were posted. */
export async function measureCompare(
  { tidemark, count }: LargeSource,
  { folder, log }: { readonly folder: TemporaryFolder; readonly log: Log },
): Promise<Command> {
  const copy = folder.next('copy');
  const server = await tidemark.start();
  try {
    makeMirrorState(copy, { set: `${tidemark.baseUrl}/sets/${SET}/capabilitylist.xml`, count, log });
    // The first pass renders every document; comparing is what is measured.
    await compareOnce(`${tidemark.baseUrl}/`, copy, count);
    return reported('compared', await compareOnce(`${tidemark.baseUrl}/`, copy, count), log);
  } finally {
    await server.stop();
    rmSync(copy, { recursive: true, force: true });
  }
}

async function compareOnce(url: string, copy: string, count: number): Promise<Command> {
  const { pass, seconds, processor, memory } = await runMirror(url, copy, '--compare');
  const { fetched, adopted, deleted, failed, resources } = pass;
  if (fetched + adopted + deleted + failed > 0 || resources !== count) {
    throw new Error(`the copy was not equal: ${JSON.stringify(pass)}`);
  }
  return { seconds, processor, memory };
}

type Ran = Awaited<ReturnType<typeof runMeasured>>;

const toCommand = ({ seconds, processorTime, memory }: Ran): Command => ({ seconds, processor: processorTime, memory });

export function reported(what: string, command: Command, log: Log): Command {
  const [seconds, processor, memory] = [command.seconds.toFixed(1), command.processor.toFixed(1), command.memory];
  log(`${what} in ${seconds} s, ${processor} s of processors, ${memory.toFixed(0)} MB`);
  return command;
}
