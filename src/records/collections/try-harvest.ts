import { TidemarkError } from '../../core/errors.ts';
import { makeFolder } from '../../lib/files/make-folder.ts';
import { EndlessList } from '../arrivals/oai-harvest/endless-list.ts';
import { type HarvestSource, requestPage } from '../arrivals/oai-harvest/harvest-list.ts';
import type { HarvestedList } from '../arrivals/oai-harvest/harvested-list.ts';
import { judgePage, placeOf } from '../arrivals/oai-harvest/judge-page.ts';
import type { OaiClient } from '../arrivals/oai-harvest/oai-client.ts';
import type { Erratum } from '../errata/erratum.ts';
import { ReasonCounts } from '../errata/reason-counts.ts';
import { findRecordFiles } from '../forms/identify.ts';
import type { Normalization } from '../forms/normalization.ts';
import { readFile } from '../forms/read-file.ts';
import { listedErratum, type ReadItem, type SharedByFiles } from '../forms/record-form.ts';
import type { ScratchFile } from '../packages/scratch-file.ts';
import type { HarvestOutcome, HarvestRun } from './harvest-run.ts';

interface TryParts {
  readonly client: OaiClient;
  /** The folder of scratch files. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly normalization: Normalization;
  onPage(lists: HarvestRun['lists'], outcome: HarvestOutcome): void;
}

/** Records of a test. */
const MOST_RECORDS = 1_000;
const MOST_EXAMPLES = 20;
const MOST_REASONS = 20;

/**
 * Reads, checks and transforms records as a harvest does, and stores nothing: those of the first pages, a thousand in
 * all, for `test`; those of the first page of each list for `check`.
 * @throws TidemarkError `invalid` as `harvestList`, and when there are no records
 */
export async function tryHarvest(
  source: HarvestSource,
  { kind, lists }: Pick<HarvestRun, 'kind' | 'lists'>,
  parts: TryParts,
): Promise<HarvestOutcome> {
  makeFolder(parts.folder);
  const trial = new Trial();
  let tried = lists;
  try {
    for (const [at, first] of lists.entries()) {
      const endless = new EndlessList();
      for (let list = first; ; ) {
        list = await trial.page(source, { list, endless }, parts);
        tried = tried.with(at, list);
        parts.onPage(tried, trial.outcome);
        if (list.isComplete || kind === 'check' || trial.count >= MOST_RECORDS) break;
      }
      if (kind === 'test' && trial.count >= MOST_RECORDS) break;
    }
  } finally {
    trial.close();
  }
  if (trial.count === 0) throw new TidemarkError('invalid', 'the repository has no records (noRecordsMatch)');
  return trial.outcome;
}

interface Begun {
  readonly list: HarvestedList;
  readonly endless: EndlessList;
}

function failed(list: HarvestedList, problem: string | undefined): TidemarkError {
  return new TidemarkError('invalid', `${problem} (${placeOf(list)})`);
}

class Trial {
  readonly #shared: SharedByFiles = {};
  readonly #reasons = new ReasonCounts();
  readonly #examples: Erratum[] = [];
  #records = 0;
  #deletions = 0;
  #warnings = 0;

  /** Number of records, deletions and errors. */
  get count(): number {
    return this.#records + this.#deletions + this.#reasons.errors;
  }

  get outcome(): HarvestOutcome {
    return {
      records: this.#records,
      deletions: this.#deletions,
      errors: this.#reasons.errors,
      warnings: this.#warnings,
      reasons: this.#reasons.list(MOST_REASONS),
      examples: this.#examples,
    };
  }

  /** Ends what its pages share, as the thread of a transform. */
  close(): void {
    this.#shared.opened?.close();
  }

  /** Reads the next page of a list, and returns the list after it. */
  async page(source: HarvestSource, { list, endless }: Begun, parts: TryParts): Promise<HarvestedList> {
    const page = await requestPage(source, list, parts);
    try {
      const verdict = judgePage(list, page.scan);
      if ('begunAgain' in verdict) throw failed(list, 'its token has expired');
      const problem = 'problem' in verdict ? verdict.problem : endless.problemAfter(verdict.list, page.identifiers);
      if (problem !== undefined || 'problem' in verdict) throw failed(list, problem);
      if (page.scan.records > 0) await this.#read(`page ${verdict.list.pages}`, page.file, parts);
      return verdict.list;
    } finally {
      await page.file.close();
    }
  }

  async #read(name: string, file: ScratchFile, { folder, normalization, signal }: TryParts): Promise<void> {
    const given = { name: `${name}.xml.gz`, read: () => file.read(0, file.length), ranges: file };
    for await (const found of findRecordFiles(given, { scratchFolder: folder })) {
      if (found.reason !== undefined) throw new TidemarkError('invalid', `${name}: ${found.reason}`);
      for await (const items of readFile(found, normalization, this.#shared)) {
        signal.throwIfAborted();
        for (const item of items) this.#count(item, name);
        if (this.count >= MOST_RECORDS) return;
      }
    }
  }

  #count(item: ReadItem, name: string): void {
    if (item.kind === 'deletion' || (item.kind === 'record' && item.deleted)) this.#deletions += 1;
    else if (item.kind === 'record') this.#records += 1;
    const listed = listedErratum(item);
    if (listed === undefined) return;
    this.#reasons.add(listed);
    if (listed.warning) this.#warnings += 1;
    if (this.#examples.length < MOST_EXAMPLES) this.#examples.push({ path: [name], ...listed });
  }
}
