import type { ReasonView } from '../../../api/reason-view.ts';
import type { Erratum } from '../../../records/errata/erratum.ts';
import { groupOf, OTHERS } from '../../../records/errata/reason-counts.ts';
import { type Html, html } from '../parts/html.ts';
import { stackingTable } from '../parts/tables.ts';
import { counted } from '../parts/words.ts';
import { erratumField, erratumPlace, erratumReason, erratumText, type RecordLink } from './errata-parts.ts';

interface Group {
  readonly words: ReasonView | undefined;
  readonly errata: readonly Erratum[];
}

interface ShownErrata {
  readonly reasons: readonly ReasonView[];
  /** Those of this page. */
  readonly errata: readonly Erratum[];
  /** Whether the page is the first one, on which each group has an example at least. */
  readonly isFirst: boolean;
}

/** The errata of a page by their reasons: how many, why, what to do, and the records with the fault marked. */
export function errataGroups(shown: ShownErrata, link: RecordLink): Html {
  return html`${groupsOf(shown).map((group) => groupSection(group, link))}`;
}

function groupsOf({ reasons, errata, isFirst }: ShownErrata): readonly Group[] {
  const rest = Map.groupBy(errata, groupOf);
  const groups = reasons.filter(isOfOne).map((words): Group => {
    const key = groupOf(words);
    const found = rest.get(key) ?? (isFirst && words.example !== undefined ? [words.example] : []);
    rest.delete(key);
    return { words, errata: found };
  });
  const others = { words: reasons.find((words) => !isOfOne(words)), errata: [...rest.values()].flat() };
  return [...groups, others].filter(
    ({ words, errata: ofGroup }) => ofGroup.length > 0 || (isFirst && words !== undefined),
  );
}

const isOfOne = ({ reason }: ReasonView): boolean => reason !== OTHERS;

function groupSection({ words, errata }: Group, link: RecordLink): Html {
  const title = words?.reason ?? OTHERS;
  return html`<h3>${words?.warning && html`<span class="state reading">warning</span> `}${title}</h3>
${words && html`<p>${counted(words.count, 'record')}${errata.length < words.count && errata.length > 0 && html`, of which this page shows ${counted(errata.length, 'one', 'of them')}`}.</p>`}
${words?.cause !== undefined && html`<p><strong>Likely cause:</strong> ${words.cause}<br><strong>What to do:</strong> ${words.advice}</p>`}
${errata.length > 0 && errataTable(title, errata, link)}`;
}

function errataTable(title: string, errata: readonly Erratum[], link: RecordLink): Html {
  return stackingTable(title, errata, [
    { name: 'Record', style: 'name', isHead: true, cell: (erratum) => erratumPlace(erratum, link(erratum)) },
    { name: 'Field', style: 'short', cell: erratumField },
    { name: 'Fault', style: 'name', cell: (erratum) => html`${erratumText(erratum)}${erratumReason(erratum)}` },
  ]);
}
