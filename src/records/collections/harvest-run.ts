import { TidemarkError } from '../../core/errors.ts';
import type { HarvestedList } from '../arrivals/oai-harvest/harvested-list.ts';
import type { ReceivedPages } from '../arrivals/oai-harvest/page-tar.ts';
import type { Erratum } from '../errata/erratum.ts';
import type { ReasonCount } from '../errata/reason-counts.ts';
import type { RunBeat } from '../runs/activity-run.ts';

/** `again` reads the stored responses of an earlier run; `test` and `check` change nothing. */
export const HARVEST_KINDS = ['incremental', 'full', 'again', 'test', 'check'] as const;
export type HarvestKind = (typeof HARVEST_KINDS)[number];

/** NSDL's statuses: complete; complete with errors or warnings; failed. */
export type HarvestStatus = 2 | 3 | 4;

export interface NamedHarvest {
  readonly collection: string;
  /** From 1, without gaps. */
  readonly number: number;
}

/** What a run is requested with. */
export interface HarvestRequest {
  readonly kind: HarvestKind;
  /** Whether a large drop is accepted. */
  readonly force?: true | undefined;
  /** The number of the run whose responses are read `again`, with those of later runs. */
  readonly of?: number | undefined;
  /** Of a trigger file; by default a random one. A second request with the uuid of a run is that run. */
  readonly uuid?: string | undefined;
  /** The setSpecs of this run alone, in place of those of the collection. */
  readonly sets?: readonly string[] | undefined;
  /** For an incremental run: the first datestamp, in place of the one where the last run has ended. */
  readonly from?: string | undefined;
  /** The number of dbInsert files of NSDL that are read, in place of a list. */
  readonly pieces?: number | undefined;
}

/** One harvest of a collection: a document of the catalog, `COLLECTION/000000012`. */
export interface HarvestRun extends NamedHarvest {
  readonly kind: HarvestKind;
  readonly uuid: string;
  readonly trigger: HarvestTrigger;
  readonly force?: true | undefined;
  readonly of?: number | undefined;
  readonly sets?: readonly string[] | undefined;
  readonly from?: string | undefined;
  readonly pieces?: number | undefined;
  /** `received`: the list is complete, and its upload has its number. */
  readonly state: 'waiting' | 'running' | 'received' | 'ended';
  /** Milliseconds since 1970, as all times of a run. */
  readonly added: number;
  readonly started?: number;
  readonly ended?: number;
  /** Present when it has ended. */
  readonly status?: HarvestStatus;
  /** Why it has failed, and where: set, page, token, last identifier. A sentence without a full stop. */
  readonly failure?: string;
  /** What is harvested, as the collection had it when the run began. */
  readonly baseUrl?: string;
  readonly format?: string;
  /** One for each requested set, in the order in which they are harvested. */
  readonly lists: readonly HarvestedList[];
  /** The job that makes it; absent for a run of a command. */
  readonly job?: string | undefined;
  /** For a run of a command: its heartbeat, without which another process goes on with it. */
  readonly beat?: RunBeat | undefined;
  /** A random text that identifies the attempt that has recorded this. */
  readonly token: string;
  /** The unfinished resumable upload that it fills, how many pages it has, and their bytes. */
  readonly resumable?: ReceivedPages | undefined;
  /** The number of its upload in the stream of the collection. */
  readonly upload?: number;
  /** What was read and changed; present when it has ended, and anything was read. */
  readonly outcome?: HarvestOutcome;
  /** The end of its message, when the collection has one: how often it was tried, and when it was accepted. */
  readonly message?: HarvestMessage;
}

export type HarvestTrigger =
  | { readonly by: 'command' | 'schedule' | 'request' }
  | { readonly by: 'trigger-file'; readonly file: string };

export interface HarvestOutcome {
  readonly records: number;
  readonly deletions: number;
  readonly errors: number;
  readonly warnings: number;
  /** The errata by their reasons, the most frequent first. */
  readonly reasons: readonly ReasonCount[];
  /** Absent for `test` and `check`. `deleted` has those that a full run did not see. */
  readonly created?: number;
  readonly updated?: number;
  readonly deleted?: number;
  readonly unchanged?: number;
  /** Of `test` and `check`, which store no errata: the first ones. */
  readonly examples?: readonly Erratum[];
}

interface HarvestMessage {
  readonly attempts: number;
  /** When an attempt began whose answer is not known yet. */
  readonly begun?: number;
  /** When it was accepted. */
  readonly accepted?: number;
  /** Why the last attempt was not accepted. */
  readonly problem?: string;
}

export const HARVEST_RUN_KIND = 'harvest-run';
const DIGITS = 9;

/** The id of the document in the catalog: ids sort as their numbers do. */
export function harvestId({ collection, number }: NamedHarvest): string {
  return `${harvestsOf(collection)}${String(number).padStart(DIGITS, '0')}`;
}

/** The prefix of the ids of all runs of a collection. */
export function harvestsOf(collection: string): string {
  return `${collection}/`;
}

/** Names a run for people, and in commands: `arxiv/3`. */
export function harvestText({ collection, number }: NamedHarvest): string {
  return `${collection}/${number}`;
}

/** @throws TidemarkError `not-found` for a text that is not the number of a run */
export function parseHarvestNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new TidemarkError('not-found', `there is no run ${JSON.stringify(text.slice(0, 40))}: use its number`);
}

export function isOpenHarvest({ state }: Pick<HarvestRun, 'state'>): boolean {
  return state !== 'ended';
}

/** Whether it has changed its set, or has found nothing to change: the next run asks from there. */
export function isAppliedHarvest({ kind, status }: Pick<HarvestRun, 'kind' | 'status'>): boolean {
  return (kind === 'incremental' || kind === 'full') && (status === 2 || status === 3);
}
