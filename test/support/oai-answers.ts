import assert from 'node:assert/strict';
import { ask } from './ask.ts';

/** Arguments of a request of OAI-PMH. */
export type OaiArguments = Readonly<Record<string, string>>;

/** The answer of a repository, which also has the status 200 when it is an error of the protocol. */
export async function askOai(url: string, parameters: OaiArguments, headers: Readonly<Record<string, string>> = {}) {
  const { status, text } = await ask(`${url}?${new URLSearchParams(parameters)}`, { headers });
  assert.equal(status, 200, text);
  return text;
}

export const codesOf = (answer: string) => [...answer.matchAll(/<error code="(\w+)">/g)].map(([, code]) => code);

export const tokenOf = (answer: string) => /<resumptionToken[^>]*>([^<]+)</.exec(answer)?.[1];

/** The headers of an answer, in their order. */
export function headersOf(answer: string) {
  const headers = answer.matchAll(
    /<header( status="deleted")?><identifier>([^<]*)<.*?<datestamp>([^<]*)<\/datestamp>(.*?)<\/header>/g,
  );
  return [...headers].map(([, deleted, identifier, datestamp, sets]) => ({
    identifier: identifier!,
    datestamp: datestamp!,
    isDeleted: deleted !== undefined,
    sets: [...sets!.matchAll(/<setSpec>([^<]*)</g)].map(([, spec]) => spec),
  }));
}

/** All pages of a list. @param between is awaited before each page but the first */
export async function pagesOf(
  url: string,
  parameters: OaiArguments,
  { headers = {}, between = async () => {} }: { readonly headers?: OaiArguments; between?(): Promise<void> } = {},
): Promise<readonly string[]> {
  const pages: string[] = [];
  for (let answer = await askOai(url, parameters, headers); ; ) {
    pages.push(answer);
    const resumptionToken = tokenOf(answer);
    if (resumptionToken === undefined) return pages;
    await between();
    answer = await askOai(url, { verb: parameters.verb!, resumptionToken }, headers);
  }
}
