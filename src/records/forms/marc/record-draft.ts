import { buildRecord, deletionOf, UnusableRecord } from './build-record.ts';
import { STATUS_AT, TYPE_AT } from './iso2709.ts';
import { marcIdProblem } from './marc-id.ts';
import type { ControlField, MarcField, Subfield } from './marc-record.ts';
import { mendCode, mendIndicators, Repairs } from './odd-fields.ts';
import type { MarcPart } from './read-record.ts';
import { repairLeader } from './repair-leader.ts';

/** Most characters of a record; each element counts as `CHARACTERS_OF_ELEMENT`. */
const LONGEST_RECORD = 64_000_000;
const CHARACTERS_OF_ELEMENT = 100;

/** The elements of MARCXML. One that is not among them and has no tag, as a field has, is passed over. */
const ELEMENTS: ReadonlySet<string> = new Set([
  'collection',
  'record',
  'leader',
  'controlfield',
  'datafield',
  'subfield',
]);

/** A leader of which at least the beginning is as it should be: whatever else is wrong, the record is a deletion. */
const DELETION = /^(?:\d{5}d|.{5}d.{18}$)/s;

interface DataField {
  readonly tag: string;
  readonly indicators: string;
  readonly subfields: Subfield[];
}

type Attribute = (name: string) => string | undefined;

/** A record in MARCXML whose elements are arriving. */
export class RecordDraft {
  readonly #offset: number;
  readonly #fields: MarcField[] = [];
  #leader: string | undefined;
  #id: string | undefined;
  /** The open data field. */
  #field: DataField | undefined;
  /** Takes the text of the open element, if text is allowed there. */
  #takeText: ((text: string) => void) | undefined;
  #text = '';
  /** Number of open elements of which nothing is read: one beside the fields, and those in it. */
  #passedOver = 0;
  #length = 0;
  /** Whether the open element is a field 001, and whether a fault was in one: what it has is not the id then. */
  #isInId = false;
  #isIdFaulty = false;
  /** The first fault. */
  #problem: string | undefined;
  readonly #repairs = new Repairs();

  /** @param problem a fault that is known before its elements arrive */
  constructor(offset: number, problem?: string) {
    this.#offset = offset;
    this.#problem = problem;
  }

  /** @param depth 1 for a child of the record */
  open(name: string, depth: number, attribute: Attribute): void {
    this.#length += CHARACTERS_OF_ELEMENT;
    if (this.#passedOver > 0) this.#passedOver += 1;
    if (this.#isTooLong() || this.#passedOver > 0) return;
    this.#checkText();
    const isPlaced = depth === (name === 'subfield' ? 2 : 1);
    if (isPlaced && name === 'leader') this.#openLeader();
    else if (isPlaced && name === 'controlfield') this.#openControlField(attribute('tag') ?? '');
    else if (isPlaced && name === 'datafield') this.#openDataField(attribute);
    else if (isPlaced && name === 'subfield' && this.#field !== undefined) {
      this.#openSubfield(this.#field, attribute('code') ?? '');
    } else if (depth === 1 && !ELEMENTS.has(name) && attribute('tag') === undefined) this.#passedOver = 1;
    else this.#problem ??= `it has an element ${name} that is not expected there`;
  }

  /** Takes a fault of the text at this place, of which a file may have millions: only the first one is described. */
  fault(describe: () => string): void {
    this.#problem ??= describe();
    this.#isIdFaulty ||= this.#isInId;
  }

  addText(text: string): void {
    this.#length += text.length;
    if (!this.#isTooLong() && this.#passedOver === 0) this.#text += text;
  }

  close(): void {
    if (this.#passedOver > 0) this.#passedOver -= 1;
    else if (this.#takeText === undefined) {
      this.#checkText();
      this.#field = undefined;
    } else {
      this.#takeText(this.#text);
      this.#takeText = undefined;
      this.#isInId = false;
      this.#text = '';
    }
  }

  finish(): MarcPart {
    this.#checkText();
    const id = (this.#isIdFaulty ? undefined : this.#id?.trim()) ?? '';
    const place = { offset: this.#offset, type: this.#leader?.charCodeAt(TYPE_AT), length: this.#length };
    try {
      if (this.#problem !== undefined) throw new UnusableRecord(this.#problem);
      if (this.#leader === undefined) throw new UnusableRecord('it has no leader');
      const problem = marcIdProblem(id);
      if (problem !== undefined) throw new UnusableRecord(problem);
      const record = buildRecord(this.#leader, this.#fields);
      const deleted = this.#leader[STATUS_AT] === 'd';
      const warning = deleted ? undefined : this.#repairs.text;
      return { ...place, length: record.bytes.length, id, deleted, record, warning };
    } catch (error) {
      if (!(error instanceof UnusableRecord)) throw error;
      if (DELETION.test(this.#leader ?? '') && marcIdProblem(id) === undefined) {
        return { ...place, id, deleted: true, record: deletionOf(id) };
      }
      return { ...place, id: id === '' ? undefined : id, reason: error.message };
    }
  }

  #isTooLong(): boolean {
    if (this.#length <= LONGEST_RECORD) return false;
    this.#problem ??= `it has more than ${LONGEST_RECORD} characters`;
    return true;
  }

  /** Leaves out what is between elements: it should be white space. */
  #checkText(): void {
    if (this.#takeText !== undefined) this.#problem ??= 'it has an element within a text';
    if (/[^ \t\r\n]/.test(this.#text)) {
      this.#repairs.add(`text outside of its fields was left out: ${JSON.stringify(this.#text.trim().slice(0, 40))}`);
    }
    this.#text = '';
  }

  #openLeader(): void {
    if (this.#leader !== undefined) this.#problem ??= 'it has two leaders';
    this.#takeText = (text) => {
      this.#leader ??= repairLeader(text);
    };
  }

  #openControlField(tag: string): void {
    this.#isInId = tag === '001';
    this.#takeText = (value) => {
      const field: ControlField = { tag, value };
      this.#fields.push(field);
      if (tag === '001') this.#id ??= value;
    };
  }

  #openDataField(attribute: Attribute): void {
    const tag = attribute('tag') ?? '';
    const found = [indicatorOf(attribute('ind1')), indicatorOf(attribute('ind2'))] as const;
    const indicators = mendIndicators(tag, found, this.#repairs);
    this.#field = { tag, indicators, subfields: [] };
    this.#fields.push(this.#field);
  }

  #openSubfield({ tag, subfields }: DataField, found: string): void {
    const code = mendCode(tag, found, this.#repairs);
    this.#takeText = (value) => {
      if (code !== undefined) subfields.push({ code, value });
    };
  }
}

/** A missing or empty indicator is a blank: some systems omit blanks, others write no-break spaces for them. */
function indicatorOf(attribute: string | undefined): string {
  return attribute === undefined || attribute === '' || attribute === '\u00a0' ? ' ' : attribute;
}
