import type { Figure } from '../figure.ts';
import { type Spread, spreadOf } from './spread.ts';

/** A figure with what follows from its values. */
export interface Line {
  readonly figure: string;
  readonly unit: string;
  readonly ours: Spread;
  readonly baseline?: Spread & { readonly name: string };
  /** Ours by the baseline. */
  readonly ratio?: number;
  readonly limit?: string;
  readonly ok?: boolean;
}

export function lineOf({ name, unit, ours, baseline, limit }: Figure): Line {
  const spread = spreadOf(ours);
  const compared = baseline && { name: baseline.name, ...spreadOf(baseline.values) };
  return {
    figure: name,
    unit,
    ours: spread,
    ...(compared && { baseline: compared, ratio: spread.median / compared.median }),
    ...(limit && { limit: limitText(limit), ok: keepsTo(spread, limit) }),
  };
}

/** A Markdown table, so that it can be put into docs/performance.md as it is. */
export function tableOf(lines: readonly Line[]): string {
  const rows = [
    ['figure', 'ours: median [least .. most]', 'baseline: median [least .. most]', 'ratio', 'limit', 'ok'],
    ...lines.map(({ figure, unit, ours, baseline, ratio, limit, ok }) => [
      `${figure}, ${unit}`,
      spreadText(ours),
      baseline === undefined ? '' : `${spreadText(baseline)} ${baseline.name}`,
      ratio === undefined ? '' : numberText(ratio),
      limit ?? '',
      ok === undefined ? '' : ok ? 'yes' : 'NO',
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const text = rows.map((row) => `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`);
  text.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return `${text.join('\n')}\n`;
}

function keepsTo({ median }: Spread, limit: NonNullable<Figure['limit']>): boolean {
  return 'most' in limit ? median <= limit.most : median >= limit.least;
}

function limitText(limit: NonNullable<Figure['limit']>): string {
  return 'most' in limit ? `at most ${numberText(limit.most)}` : `at least ${numberText(limit.least)}`;
}

function spreadText({ median, least, most }: Spread): string {
  return `${numberText(median)} [${numberText(least)} .. ${numberText(most)}]`;
}

function numberText(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}
