import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../../../app.ts';
import { defaultArtifacts } from '../../../config/artifact-location.ts';
import type { LoadedConfiguration } from '../../../config/load-configuration.ts';
import { defaultStore } from '../../../config/settings.ts';
import type { IngestPlan } from '../../../datasets/datasets.ts';
import { publicUrl } from '../../../datasets/fetch/shown-url.ts';
import { IngestFailure } from '../../../datasets/ingest-failure.ts';
import type { IngestRequest } from '../../../datasets/request.ts';
import type { RequestLine } from '../../../datasets/request-lines.ts';
import { formatBytes } from '../../../lib/format-bytes.ts';
import type { Call } from '../../cli-command.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { printableLine } from '../../ui/printable.ts';
import { formatTable, plural } from '../../ui/table.ts';
import { isNewStore, withApp } from '../../with-app.ts';
import { askedOf, type IngestDatasetsOptions } from './dataset-options.ts';

/** Shows what would be stored of each request, one after the other, and stores nothing. */
export async function planDatasets(
  call: Call<IngestDatasetsOptions>,
  requests: AsyncIterable<readonly RequestLine[]>,
): Promise<ExitCode> {
  let failed = 0;
  await withoutNewStore(call, async ({ datasets }) => {
    for await (const lines of requests) {
      for (const { number, request, problem } of lines) {
        const isPlanned = request !== undefined && (await plan(call, datasets, request));
        if (problem !== undefined)
          await call.terminal.print(`line ${number}: ${problem.message}`, { number, ...problem });
        if (!isPlanned) failed += 1;
      }
    }
  });
  return failed > 0 ? EXIT.failed : EXIT.done;
}

async function plan(
  { terminal, options, stopped: signal }: Call<IngestDatasetsOptions>,
  datasets: App['datasets'],
  request: IngestRequest,
): Promise<boolean> {
  const { base_url } = request;
  // Written in the order of the replies, each before the next request is sent or the plan ends.
  let written = Promise.resolve();
  const onReply = ({ url, status, text }: { readonly url: string; readonly status: number; readonly text: string }) => {
    written = written.then(() => terminal.print(`--- ${status} ${url}\n${text}`, { url, status, text }));
  };
  try {
    const asked = { options: askedOf(options).options ?? {}, signal, ...(options.raw && { onReply }) };
    const found = await datasets.plan(request, asked);
    await written;
    await terminal.print(planText(base_url, found), planView(base_url, found));
    return true;
  } catch (error) {
    await written;
    if (!(error instanceof IngestFailure)) throw error;
    const { status, message } = error;
    await terminal.print(printableLine(`${base_url}: ${status}: ${message}`), { base_url, status, message });
    return false;
  }
}

/** What would be stored, for people. */
export function planText(url: string, { dataset, strategy, totalSize }: IngestPlan): string {
  const { platformName, platformId, platformDomain, version, files, notes = [] } = dataset;
  const name = `${platformName} ${platformId}${version === undefined ? '' : ` version ${version}`} of ${platformDomain}`;
  const rows = files.map(({ path, size, hashes: [first] }) => {
    return [size === undefined ? '' : formatBytes(size), first ? `${first.algorithm}:${first.digest}` : '', path];
  });
  const head = printableLine(
    `${url}: ${name}, ${plural(files.length, 'file')}, ${formatBytes(totalSize)}: ${strategy}`,
  );
  return [head, formatTable(['SIZE', 'HASH', 'PATH'], rows), ...notes.map(printableLine)].join('\n');
}

function planView(base_url: string, { dataset, strategy, totalSize }: IngestPlan) {
  const { platformName, platformDomain, platformId, version, persistentId, landingUrl, files, notes = [] } = dataset;
  return {
    base_url,
    platform: platformName,
    platform_domain: platformDomain,
    platform_id: platformId,
    ...(version !== undefined && { version }),
    ...(persistentId !== undefined && { persistent_id: persistentId }),
    landing_url: landingUrl,
    ingest_strategy: strategy,
    file_count: files.length,
    total_size: totalSize,
    ...(notes.length > 0 && { notes }),
    manifest: files.map(({ platformUrl, ...file }) => ({
      ...file,
      ...(platformUrl !== undefined && { platform_url: publicUrl(platformUrl) }),
    })),
  };
}

/** Opens the app for a command that stores nothing: where there is no store yet, in a folder that is removed. */
async function withoutNewStore(call: Call, use: (app: App) => Promise<void>): Promise<void> {
  const { loaded, terminal } = call;
  if (!(await isNewStore(loaded.configuration))) return withApp(call, use);
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  const places = { dataFolder: folder, store: defaultStore(folder), artifacts: defaultArtifacts(folder) };
  const elsewhere: LoadedConfiguration = { ...loaded, configuration: { ...loaded.configuration, ...places } };
  try {
    await withApp({ loaded: elsewhere, terminal }, use);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
