import { around, type Fault, type FaultPlace, subjectOf } from '../../errata/fault.ts';
import type { FaultKind } from '../../errata/fault-kinds.ts';
import { buildRecord, deletionOf, INVALID_TEXT } from './build-record.ts';
import { shortTitle } from './faults/field-places.ts';
import { visible } from './faults/readable-text.ts';
import { UnusableRecord } from './faults/unusable-record.ts';
import { STATUS_AT, TYPE_AT } from './iso2709.ts';
import { isMarcId, marcIdFault } from './marc-id.ts';
import { type ControlField, isControlField, type MarcField, type Subfield } from './marc-record.ts';
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
  /** The tag of the open field, and the code of the open subfield. */
  #tag: string | undefined;
  #code: string | undefined;
  /** The first fault. */
  #problem: UnusableRecord | undefined;
  /** Whether the first fault is in the open text, of which the end has not arrived. */
  #isInText = false;
  readonly #repairs = new Repairs((tag) => this.#occurrenceOf(tag));

  /** @param problem a fault that is known before its elements arrive */
  constructor(offset: number, problem?: UnusableRecord) {
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
    else this.#problem ??= this.#unusable('element', `has an element ${name.slice(0, 100)} that is not expected there`);
  }

  /**
   * Takes a fault of the text at this place, of which a file may have millions: only the first one is described.
   * @param shown what people see in place of the character
   */
  fault(kind: FaultKind, describe: () => string, shown?: string): void {
    this.#isIdFaulty ||= this.#isInId;
    if (this.#problem !== undefined) return;
    const { message, fault } = this.#unusable(kind, describe());
    this.#problem = new UnusableRecord(message, { ...fault, fault: shown });
    this.#isInText = this.#takeText !== undefined;
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
      this.#tag = undefined;
    } else {
      if (this.#isInText) this.#problem = withText(this.#problem!, this.#text);
      this.#isInText = false;
      this.#takeText(this.#text);
      this.#takeText = undefined;
      this.#isInId = false;
      this.#text = '';
      this.#code = undefined;
      if (this.#field === undefined) this.#tag = undefined;
    }
  }

  finish(): MarcPart {
    this.#checkText();
    const id = (this.#isIdFaulty ? undefined : this.#id?.trim()) ?? '';
    const place = { offset: this.#offset, type: this.#leader?.charCodeAt(TYPE_AT), length: this.#length };
    try {
      if (this.#problem !== undefined) throw this.#problem;
      if (this.#leader === undefined) throw new UnusableRecord('the record has no leader', { kind: 'no-leader' });
      const fault = marcIdFault(id, () => this.#id !== undefined);
      if (fault !== undefined) throw fault;
      const record = buildRecord(this.#leader, this.#fields);
      const deleted = this.#leader[STATUS_AT] === 'd';
      const warning = deleted ? undefined : this.#repairs.text;
      return { ...place, length: record.bytes.length, id, deleted, record, warning, fault: this.#repairs.fault };
    } catch (error) {
      if (!(error instanceof UnusableRecord)) throw error;
      if (DELETION.test(this.#leader ?? '') && isMarcId(id)) {
        return { ...place, id, deleted: true, record: deletionOf(id) };
      }
      const { message: reason, fault } = error;
      return { ...place, id: id === '' ? undefined : id, title: this.#title, reason, fault };
    }
  }

  get #title(): string | undefined {
    const title = this.#fields.find(({ tag }) => tag === '245');
    if (title === undefined || isControlField(title)) return undefined;
    const parts = title.subfields.filter(({ code }) => code === 'a' || code === 'b');
    return shortTitle(parts.map(({ value }) => visible(value.trim())).join(' '));
  }

  #unusable(kind: FaultKind, what: string): UnusableRecord {
    const place = this.#place();
    return new UnusableRecord(`${subjectOf(place)} ${what}`, {
      kind,
      ...place,
    });
  }

  #place(): FaultPlace {
    const field = this.#tag;
    if (field === undefined) return {};
    return { field, occurrence: this.#occurrenceOf(field), subfield: this.#code };
  }

  /** Which of the fields with its tag the open one is. A control field is added when it closes. */
  #occurrenceOf(tag: string): number {
    const isControl = this.#field === undefined && this.#takeText !== undefined;
    return this.#fields.filter((field) => field.tag === tag).length + (isControl ? 1 : 0);
  }

  #isTooLong(): boolean {
    if (this.#length <= LONGEST_RECORD) return false;
    this.#problem ??= this.#unusable('too-large', `makes the record longer than ${LONGEST_RECORD} characters`);
    return true;
  }

  /** Leaves out what is between elements: it should be white space. */
  #checkText(): void {
    if (this.#takeText !== undefined) this.#problem ??= this.#unusable('element', 'has an element within its text');
    if (/[^ \t\r\n]/.test(this.#text)) {
      const text = this.#text.trim().slice(0, 40);
      const fault = { kind: 'text-outside-fields', field: this.#tag, fault: visible(text) } as const;
      this.#repairs.add(`text outside of its fields was left out: ${JSON.stringify(text)}`, fault);
    }
    this.#text = '';
  }

  #openLeader(): void {
    if (this.#leader !== undefined) this.#problem ??= new UnusableRecord('the record has two leaders', TWO_LEADERS);
    this.#takeText = (text) => {
      this.#leader ??= repairLeader(text);
    };
  }

  #openControlField(tag: string): void {
    this.#isInId = tag === '001';
    this.#tag = tag;
    this.#takeText = (value) => {
      const field: ControlField = { tag, value };
      this.#fields.push(field);
      if (tag === '001') this.#id ??= value;
    };
  }

  #openDataField(attribute: Attribute): void {
    const tag = attribute('tag') ?? '';
    this.#tag = tag;
    const found = [indicatorOf(attribute('ind1')), indicatorOf(attribute('ind2'))] as const;
    const subfields: Subfield[] = [];
    // Its place is counted with it.
    this.#fields.push({ tag, indicators: '', subfields });
    const indicators = mendIndicators(tag, found, this.#repairs);
    this.#field = { tag, indicators, subfields };
    this.#fields[this.#fields.length - 1] = this.#field;
  }

  #openSubfield({ tag, subfields }: DataField, found: string): void {
    this.#code = found;
    const code = mendCode(tag, { code: found }, this.#repairs);
    this.#takeText = (value) => {
      if (code !== undefined) subfields.push({ code, value });
    };
  }
}

const TWO_LEADERS: Fault = { kind: 'no-leader' };

/** What a fault of the text itself looks like, when the whole text has arrived. */
const FAULTS: Partial<Record<FaultKind, RegExp>> = {
  'xml-not-utf-8': /\ufffd/u,
  'xml-character': new RegExp(`${INVALID_TEXT.source}|&#\\w*;?`, 'u'),
  entity: /&[\w.:-]*;?/,
};

/** The fault with the text around it. */
function withText({ message, fault }: UnusableRecord, text: string): UnusableRecord {
  const found = FAULTS[fault.kind]?.exec(text);
  if (!found) return new UnusableRecord(message, fault);
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + found[0].length)];
  const marked = around(visible(before), fault.fault ?? visible(found[0]), visible(after));
  return new UnusableRecord(message, { ...fault, position: [...before].length + 1, ...marked });
}

/** A missing or empty indicator is a blank: some systems omit blanks, others write no-break spaces for them. */
function indicatorOf(attribute: string | undefined): string {
  return attribute === undefined || attribute === '' || attribute === '\u00a0' ? ' ' : attribute;
}
