import { type BrokenRule, countFindings, type Report } from '../../client/validate/report.ts';
import { adviceOf } from '../../client/validate/rules/advice.ts';
import type { Level } from '../../client/validate/rules/rule.ts';
import { ruleOf } from '../../client/validate/rules/rule-table.ts';
import { formatCount } from '../../lib/format-count.ts';
import { plural } from '../ui/table.ts';

const LEVELS: readonly Level[] = ['MUST', 'SHOULD', 'MAY', 'note'];

/** A report for users: the most important problems first, with advice. */
export function describeReport(report: Report): string {
  const rules = report.broken.map((rule) => `${describeRule(rule, report)}\n`);
  const incomplete = report.incomplete.map((reason) => `Not everything was read: ${reason}.\n`);
  return [...rules, ...incomplete, ...foundBy(report), summaryOf(report)].join('\n');
}

function describeRule({ rule, level, findings }: BrokenRule, report: Report): string {
  const own = report.findings.filter((finding) => finding.rule === rule && finding.level === level);
  const lines = own.map(
    ({ document, line, message }) => `  ${document}${line === undefined ? '' : `:${line}`}\n    ${message}`,
  );
  if (findings > own.length) lines.push(`  … and ${formatCount(findings - own.length)} more`);
  return `${level}  rule ${rule}: ${ruleOf(rule)[2]}\n${lines.join('\n')}\n  What to do: ${adviceOf(rule)}`;
}

/** Names the source, when another URL was given. */
function foundBy({ url, description, hasDescription, failure, entries }: Report): readonly string[] {
  if (url === description || entries === 0) return [];
  const itself = failure === undefined ? '' : `Nothing was read of ${url} itself: ${failure}.\n`;
  if (hasDescription) return [`${itself}The Source Description of ${url} is ${description}.`];
  return itself === '' ? [] : [itself.trimEnd()];
}

function summaryOf(report: Report): string {
  const { documents, entries, resources, packages, failure } = report;
  const read = [plural(documents, 'document'), plural(entries, 'entry', 'entries'), plural(resources, 'resource')];
  if (packages > 0) read.push(plural(packages, 'package'));
  const counted = LEVELS.map((level) => [level, countFindings(report, level)] as const).filter(
    ([, count]) => count > 0,
  );
  const found = counted
    .map(([level, count]) => (level === 'note' ? plural(count, level) : `${formatCount(count)} ${level}`))
    .join(', ');
  const about = failure === undefined ? report.url : `The source on the host of ${report.url}`;
  return `${about}: ${found === '' ? 'no findings' : `findings: ${found}`} in ${read.join(', ')}.`;
}
