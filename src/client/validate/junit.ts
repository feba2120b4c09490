import { type BrokenRule, countFindings, type Finding, type Report } from './report.ts';
import { adviceOf } from './rules/advice.ts';
import type { RuleEntry } from './rules/rule-entry.ts';
import { RULE_TABLE } from './rules/rule-table.ts';
import { RULES } from './rules/rules.ts';

/**
 * A report in the JUnit format, for continuous integration: a suite for each section of the rules, a test case for each
 * rule. A rule fails when it is broken at the level MUST; other findings are its output. A rule that cannot be checked
 * from outside is skipped.
 */
export function junitOf(report: Report): string {
  const suites = RULE_TABLE.map(({ title, rules }) => suiteOf(title, rules, report));
  const failures = report.broken.filter(({ level }) => level === 'MUST').length;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${escaped(`ResourceSync source ${report.url}`)}" failures="${failures}">
${suites.join('')}</testsuites>
`;
}

/** The report of a source that could not be read. */
export function junitOfError(message: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="ResourceSync source" failures="0" errors="1">
  <testsuite name="Validation" tests="1" failures="0" errors="1" skipped="0">
    <testcase classname="resourcesync" name="the source can be read"><error message="${escaped(message)}"/></testcase>
  </testsuite>
</testsuites>
`;
}

function suiteOf(title: string, rules: readonly RuleEntry[], report: Report): string {
  const skipped = rules.filter(([number]) => !(number in RULES)).length;
  const failing = new Set(report.broken.filter(({ level }) => level === 'MUST').map(({ rule }) => rule));
  const failures = rules.filter(([number]) => failing.has(number)).length;
  const counts = `tests="${rules.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
  return `  <testsuite name="${escaped(title)}" ${counts}>\n${rules.map((rule) => caseOf(rule, report)).join('')}  </testsuite>\n`;
}

function caseOf([number, level, text]: RuleEntry, { findings, broken }: Report): string {
  const name = `rule ${number} (${level}): ${text}`;
  const own = findings.filter(({ rule }) => rule === number);
  const parts = [
    ...(number in RULES ? [] : ['<skipped message="it cannot be checked from outside"/>']),
    ...broken.filter((rule) => rule.rule === number).map((rule) => partOf(rule, own)),
  ];
  const start = `    <testcase classname="resourcesync" name="${escaped(name)}"`;
  return parts.length === 0 ? `${start}/>\n` : `${start}>${parts.join('')}</testcase>\n`;
}

function partOf({ rule, level, findings }: BrokenRule, own: readonly Finding[]): string {
  const lines = own.filter((finding) => finding.level === level).map(lineOf);
  if (findings > lines.length) lines.push(`and ${findings - lines.length} more`);
  const text = escaped(lines.join('\n'));
  if (level !== 'MUST') return `<system-out>${level}: ${text}</system-out>`;
  return `<failure message="${escaped(adviceOf(rule))}" type="${level}">${text}</failure>`;
}

const lineOf = ({ document, line, message }: Finding) =>
  `${document}${line === undefined ? '' : `:${line}`} ${message}`;

/** Whether a report should fail a test: it has findings at the level MUST, or is incomplete. */
export const hasFailed = (report: Report): boolean =>
  countFindings(report, 'MUST') > 0 || report.incomplete.length > 0 || isElsewhere(report);

/** Whether another part of the source was found than the named one. Of a host, that is its Source Description. */
const isElsewhere = ({ url, failure }: Report): boolean => failure !== undefined && new URL(url).pathname !== '/';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  // XML 1.0, 2.2: most control characters, and unpaired surrogates, are forbidden even as references.
  const legal = text.toWellFormed().replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
  return legal.replaceAll(/[&<>"]/g, (character) => ESCAPES[character]!);
}
