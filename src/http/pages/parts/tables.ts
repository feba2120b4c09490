import { type Html, html } from './html.ts';

export interface Column<Row> {
  readonly name: string;
  /** Shown in the place of the name. */
  readonly heading?: Html;
  readonly sorted?: 'ascending' | 'descending' | undefined;
  readonly cell: (row: Row) => Html | string | false | undefined;
  /** `number` is aligned right, `short` stays on one line, `name` may be broken anywhere; `wide` is left out on a
   * phone.
   */
  readonly style?: string;
  /** The column that names the row. */
  readonly isHead?: boolean;
}

/** A table that can be scrolled sideways where it is too wide, also with the keyboard. */
export function table<Row>(label: string, rows: readonly Row[], columns: readonly Column<Row>[]): Html {
  return tableOf(label, { rows, columns, stacks: false });
}

/** A table whose rows are blocks on a phone: the heading of the row, then its other cells with their names. */
export function stackingTable<Row>(label: string, rows: readonly Row[], columns: readonly Column<Row>[]): Html {
  return tableOf(label, { rows, columns, stacks: true });
}

interface TableContent<Row> {
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly stacks: boolean;
}

function tableOf<Row>(label: string, { rows, columns, stacks }: TableContent<Row>): Html {
  const styled = (style: string | undefined) => style !== undefined && html` class="${style}"`;
  const head = columns.map(
    ({ name, heading = name, sorted, style }) =>
      html`<th scope="col"${styled(style)}${sorted !== undefined && html` aria-sort="${sorted}"`}>${heading}</th>`,
  );
  const body = rows.map(
    (row) =>
      html`<tr>${columns.map(({ name, cell, style, isHead = false }) => {
        const content = cell(row);
        return isHead
          ? html`<th scope="row"${styled(style)}>${content}</th>`
          : html`<td${styled(style)}${stacks && html` data-name="${name}"`}>${content}</td>`;
      })}</tr>\n`,
  );
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table${stacks && html` class="stacks"`}>
<thead><tr>${head}</tr></thead>
<tbody>
${body}</tbody></table></div>`;
}

/** Names with their values; entries without a value are omitted. */
export function facts(entries: readonly (readonly [string, Html | string | number | undefined])[]): Html {
  const shown = entries.filter(([, value]) => value !== undefined);
  return html`<dl class="facts">${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** Large numbers with their names below. */
export function figures(entries: readonly (readonly [string, Html | string])[]): Html {
  return html`<dl class="figures">${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}
