import type { Finding, Report } from './report.ts';
import { adviceOf } from './rules/advice.ts';
import { RULE_TABLE, ruleOf } from './rules/rule-table.ts';

/** A report as JSON: each finding with the text of its rule and advice. */
export function reportView({ findings, broken, ...report }: Report) {
  return {
    ...report,
    broken: broken.map((rule) => ({ ...rule, text: ruleOf(rule.rule)[2], section: sectionOf(rule.rule) })),
    findings: findings.map(findingView),
  };
}

export interface FindingView extends Finding {
  /** The requirement of the rule. */
  readonly text: string;
  /** Its section of the specification. */
  readonly section: string;
  /** Advice for the owner of the source. */
  readonly advice: string;
}

export function findingView(finding: Finding): FindingView {
  const { rule } = finding;
  return { ...finding, text: ruleOf(rule)[2], section: sectionOf(rule), advice: adviceOf(rule) };
}

export function sectionOf(rule: number): string {
  return RULE_TABLE.find(({ rules }) => rules.some(([number]) => number === rule))!.title;
}
