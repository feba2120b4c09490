import { datasetFileView, datasetRequestView } from '../../../api/dataset-view.ts';
import type { App } from '../../../app.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { setHome } from '../../../core/set-uris.ts';
import type { RequestDocument } from '../../../datasets/request.ts';
import type { RequestLine } from '../../../datasets/request-lines.ts';
import { requestId } from '../../../datasets/results/requests.ts';
import { sendNow } from '../../../jobs/kinds/send-dataset-results.ts';
import { mirrorCommands } from '../../../publish/mirror-commands.ts';
import type { Call, CliCommand } from '../../cli-command.ts';
import { EXIT, type ExitCode } from '../../exit-code.ts';
import { wholeNumber } from '../../options.ts';
import { plural } from '../../ui/table.ts';
import { addOrganizations } from '../../with-organizations.ts';
import {
  addRequestOptions,
  askedOf,
  FETCH_SETTINGS,
  givenRequests,
  type IngestDatasetsOptions,
  readsInput,
  SET_SETTINGS,
} from './dataset-options.ts';
import { requestLine } from './describe-dataset.ts';
import { type IngestBar, startIngestBar } from './ingest-bar.ts';
import { planDatasets } from './plan-datasets.ts';

const MOST_AT_ONCE = 12;

export const datasetsIngest: CliCommand<IngestDatasetsOptions> = {
  group: 'datasets',
  usage: 'ingest <urls...>',
  summary: 'Fetches datasets now, compares every file with what its platform says, and stores and publishes them.',
  examples: [
    ['datasets ingest https://doi.org/10.7910/DVN/CLSFKX', 'one dataset: a URL of its page, a DOI, or a handle'],
    ['datasets ingest - --concurrency 4', 'reads requests, one a line, and writes a line of JSON for each result'],
    ['datasets ingest doi:10.7910/DVN/CLSFKX --dry-run', 'its files, sizes and strategy; nothing is stored'],
  ],
  settings: [...SET_SETTINGS, ...FETCH_SETTINGS],

  options(command) {
    addRequestOptions(command);
    command
      .option('--concurrency <number>', 'datasets at a time, from 1 to 12', wholeNumber(1, MOST_AT_ONCE), 1)
      .option('--dry-run', 'show the files, sizes and strategy of each, and store nothing')
      .option('--raw', 'with --dry-run: print what the platform answers, as it comes');
  },

  run(call) {
    const { dryRun, raw } = call.options;
    if (raw && !dryRun)
      throw new TidemarkError('invalid', '--raw goes with --dry-run: it prints what is answered there');
    const failing = new AbortController();
    // A wrong argument is refused before a store is made.
    const requests = givenRequests({ ...call, stopped: AbortSignal.any([call.stopped, failing.signal]) });
    if (dryRun) return planDatasets(call, requests);
    return addOrganizations(call, (app) => new Ingest(call, app, failing).run(requests));
  },
};

/** Ingests requests, some at a time. */
class Ingest {
  readonly #call: Call<IngestDatasetsOptions>;
  readonly #app: App;
  readonly #bar: IngestBar;
  readonly #failing: AbortController;
  readonly #sets = new Set<string>();
  #hits = 0;
  #failed = 0;

  /** @param failing ends the reading of standard input, too */
  constructor(call: Call<IngestDatasetsOptions>, app: App, failing: AbortController) {
    this.#call = call;
    this.#failing = failing;
    this.#app = app;
    this.#bar = startIngestBar(call.terminal);
  }

  async run(batches: AsyncIterable<readonly RequestLine[]>): Promise<ExitCode> {
    const { stopped, terminal, options } = this.#call;
    const failing = this.#failing;
    const signal = AbortSignal.any([stopped, failing.signal]);
    const lines = eachOf(batches);
    const worker = async () => {
      for (let next = await lines.next(); !next.done; next = await lines.next()) await this.#do(next.value, signal);
    };
    // When one fails, as when the store is away, the others are stopped, and have ended before the app is closed.
    const workers = Array.from({ length: options.concurrency }, () =>
      worker().catch((error: unknown) => {
        failing.abort(error);
        throw error;
      }),
    );
    const ended = await Promise.allSettled(workers);
    this.#bar.end();
    if (stopped.aborted) {
      terminal.say(
        `Stopped: ${this.#counts()}. What was not ingested is not stored; the same command goes on with it.`,
      );
      return EXIT.stopped;
    }
    const failure = ended.find(({ status }) => status === 'rejected');
    if (failure !== undefined) throw failing.signal.reason;
    const problems = await sendNow(this.#app, stopped);
    for (const problem of problems) terminal.say(`A server or a worker writes the results later: ${problem}`);
    await this.#sayWhere();
    return this.#failed > 0 ? EXIT.failed : EXIT.done;
  }

  async #do({ number, request, problem }: RequestLine, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (request === undefined) {
      this.#failed += 1;
      await this.#print(`line ${number}: ${problem.message}`, { number, status: 'rejected', ...problem });
      return;
    }
    const bar = this.#bar.begin();
    try {
      const document = await this.#app.datasets.ingest(request, {
        ...askedOf(this.#call.options),
        signal,
        onStep: (text) => bar.step(text),
        onProgress: (progress) => bar.progress(progress),
      });
      await this.#report(document);
    } finally {
      bar.ended();
    }
  }

  async #report(document: RequestDocument): Promise<void> {
    if (document.result?.hit === true) this.#hits += 1;
    else this.#failed += 1;
    this.#sets.add(document.set);
    const view = datasetRequestView({ id: requestId(document.request), document });
    const manifest = (await this.#app.datasets.manifest(document))?.files.map(datasetFileView);
    await this.#print(requestLine(view), { ...view, ...(manifest !== undefined && { manifest }) });
  }

  /** Requests of standard input are answered in JSON, for programs. */
  async #print(text: string, value: object): Promise<void> {
    const { terminal } = this.#call;
    if (!readsInput(this.#call)) await terminal.print(text, value);
    else if (!terminal.closed.aborted) await terminal.write(`${JSON.stringify(value)}\n`);
  }

  #counts(): string {
    return `${plural(this.#hits, 'dataset')} stored, ${this.#failed} failed`;
  }

  async #sayWhere(): Promise<void> {
    const { terminal, program } = this.#call;
    if (this.#hits + this.#failed > 1) terminal.say(`${this.#counts()}.`);
    if (this.#hits === 0) return;
    const { baseUrl } = await this.#app.sets.source();
    for (const slug of this.#sets) {
      const set = await this.#app.sets.bySlug(slug);
      const [copy] = mirrorCommands(set, baseUrl, program);
      terminal.say(`Serve the set ${slug}: "tidemark serve"; its page is then ${setHome(baseUrl, slug)}`);
      terminal.say(`Follow it from elsewhere: ${copy!.command}`);
    }
  }
}

async function* eachOf(batches: AsyncIterable<readonly RequestLine[]>): AsyncGenerator<RequestLine, undefined> {
  for await (const batch of batches) yield* batch;
}
