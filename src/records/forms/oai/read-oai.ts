import { TidemarkError } from '../../../core/errors.ts';
import { mapInOrder } from '../../../lib/calls/map-in-order.ts';
import { excerpt, shortened } from '../../../lib/excerpt.ts';
import type { Fault } from '../../errata/fault.ts';
import type { Normalization } from '../normalization.ts';
import type { ReadErratum, ReadItem, SharedByFiles } from '../record-form.ts';
import { isSetSpec, oddities, recordProblem } from './check-record.ts';
import type { CutRecord } from './cut-record.ts';
import type { CutElement } from './element-writer.ts';
import { type Derived, OaiDelivery } from './oai-delivery.ts';
import { oaiReadingOf } from './oai-reading.ts';
import { writeOaiRecord } from './oai-record.ts';
import { PageCutter, type PagePart } from './page-cutter.ts';
import { PageEnvelope } from './page-envelope.ts';
import { unescapeXml } from './xml-text.ts';

/** Batches that are transformed while the next ones are cut. */
const BATCHES_AT_A_TIME = 3;

const ODD: Fault = { kind: 'oai-odd' };
const TITLE = /<(?:[\w.-]+:)?title(?:\s[^<>]*)?>([^<]*)</;
const MOST_TITLE = 120;

/** The title in metadata, for people. */
const titleIn = (xml: string): string | undefined =>
  shortened(unescapeXml(TITLE.exec(xml)?.[1] ?? '').trim(), MOST_TITLE) || undefined;

interface GoodRecord {
  readonly kind: 'good';
  readonly ordinal: number;
  readonly offset: number;
  readonly record: CutRecord;
  readonly metadata: CutElement;
  readonly warnings: readonly string[];
}
type Draft = GoodRecord | ReadItem;

/**
 * Reads a page: a response to ListRecords or GetRecord, or a static repository. A record that OAI-PMH does not allow is
 * an erratum. Faults of the page itself fail the delivery of a harvest, and so does a record that is not well-formed,
 * unless its reading says `skip`. In an upload of a user, each of these is an erratum.
 * @throws TidemarkError `invalid` in a harvest, for such a fault, and for another format than was requested
 */
export async function* readOai(
  chunks: AsyncIterable<Uint8Array>,
  normalization: Normalization | undefined,
  shared: SharedByFiles = {},
): AsyncGenerator<readonly ReadItem[], void, undefined> {
  const delivery = OaiDelivery.of(shared, oaiReadingOf(normalization));
  const page = new PageReader(delivery);
  if (!delivery.derives) {
    for await (const drafts of page.read(chunks)) yield drafts.map((draft) => finished(draft, {}));
  } else {
    yield* mapInOrder(page.read(chunks), BATCHES_AT_A_TIME, (drafts) => derived(drafts, delivery));
  }
}

async function derived(drafts: readonly Draft[], delivery: OaiDelivery): Promise<readonly ReadItem[]> {
  const good = drafts.filter((draft) => draft.kind === 'good');
  const sources = good.map(({ record: { identifier }, metadata }) => ({ id: identifier, metadata }));
  const results = (await delivery.derive(sources)).values();
  return drafts.map((draft) => finished(draft, draft.kind === 'good' ? results.next().value! : {}));
}

function finished(draft: Draft, { derived, problem, warning }: Derived): ReadItem {
  if (draft.kind !== 'good') return draft;
  const { ordinal, offset, record, metadata } = draft;
  const { identifier: id, datestamp, setSpecs, about } = record;
  const title = problem === undefined && warning === undefined ? undefined : titleIn(metadata.xml);
  if (problem !== undefined) {
    return { kind: 'erratum', ordinal, offset, id, title, reason: problem, fault: { kind: 'transform' } };
  }
  const bytes = writeOaiRecord({
    header: { identifier: id, datestamp, setSpecs, deleted: false },
    metadata: metadata.xml,
    about: about.map(({ xml }) => xml),
    derived,
  });
  const warnings = warning === undefined ? draft.warnings : [...draft.warnings, warning];
  const read = { kind: 'record', ordinal, offset, id, deleted: false, record: { bytes, title } } as const;
  return warnings.length === 0 ? read : { ...read, warning: warnings.join('; '), fault: ODD };
}

/** Reads one page, up to what is made of its records. */
class PageReader {
  readonly #delivery: OaiDelivery;
  readonly #cutter: PageCutter;
  #ordinal = 0;

  constructor(delivery: OaiDelivery) {
    this.#delivery = delivery;
    this.#cutter = new PageCutter(new PageEnvelope({ format: delivery.reading?.format }));
  }

  async *read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Draft[], void, undefined> {
    for await (const chunk of chunks) {
      this.#cutter.push(chunk);
      const drafts = this.#drafts();
      if (drafts.length > 0) yield drafts;
      if (this.#cutter.hasFailed) return;
    }
    this.#cutter.end();
    const drafts = [...this.#drafts(), ...this.#skipped()];
    if (drafts.length > 0) yield drafts;
  }

  #drafts(): readonly Draft[] {
    return this.#cutter.take().flatMap((part) => this.#draftsOf(part));
  }

  #draftsOf(part: PagePart): readonly Draft[] {
    const place = { ordinal: ++this.#ordinal, offset: part.offset };
    if (part.kind === 'record') return this.#record(part.record, place);
    const { reading } = this.#delivery;
    if (part.kind === 'unreadable') {
      if (part.isMalformed && reading?.malformed === 'stop') throw invalid(part.reason, place);
      const fault = { kind: part.isMalformed ? 'malformed-xml' : 'oai-record' } as const;
      return [{ kind: 'erratum', ...place, ...(part.id !== undefined && { id: part.id }), reason: part.reason, fault }];
    }
    const reason = `the page cannot be read at byte ${part.offset}: ${part.reason}`;
    if (reading !== undefined) throw invalid(reason, place);
    const fault = { kind: 'oai-page' } as const;
    return [{ kind: 'erratum', ...place, reason: `${reason}; nothing behind this place is read`, fault }];
  }

  #record(record: CutRecord, place: Pick<ReadErratum, 'ordinal' | 'offset'>): readonly Draft[] {
    const { identifier: id, metadata } = record;
    const known = id === '' ? {} : { id };
    const problem =
      recordProblem(record) ?? (record.deleted ? undefined : this.#delivery.formatProblem(metadata!.namespace));
    if (problem !== undefined) {
      const title = titleIn(metadata?.xml ?? '');
      return [{ kind: 'erratum', ...place, ...known, title, reason: problem, fault: { kind: 'oai-record' } }];
    }
    const warnings = this.#warnings(record);
    if (!record.deleted) return [{ kind: 'good', ...place, record, metadata: metadata!, warnings }];
    const asErrata = warnings.map(
      (reason) => ({ kind: 'erratum', ...place, id, reason, fault: ODD, warning: true }) as const,
    );
    return [{ kind: 'deletion', ...place, id }, ...asErrata];
  }

  #warnings(record: CutRecord): readonly string[] {
    const { responseDate } = this.#cutter.envelope;
    const warnings = oddities(record, { responseDate, sets: this.#delivery.reading?.sets ?? [] });
    const specs = record.setSpecs.filter((spec) => !isSetSpec(spec) && this.#delivery.isNewSpec(spec));
    if (specs.length === 0) return warnings;
    return [...warnings, ...specs.map((spec) => `OAI-PMH does not allow the setSpec ${excerpt(spec)}: it is kept`)];
  }

  /** A warning about each format of a static repository that is not read. */
  #skipped(): readonly ReadErratum[] {
    return this.#cutter.envelope.skipped.map((format) => {
      const reason = `its records in the format ${excerpt(format)} are not read: an upload has one format`;
      return { kind: 'erratum', ordinal: ++this.#ordinal, offset: 0, reason, fault: ODD, warning: true };
    });
  }
}

function invalid(reason: string, place: Pick<ReadErratum, 'ordinal' | 'offset'>): TidemarkError {
  return new TidemarkError('invalid', reason, { ...place });
}
