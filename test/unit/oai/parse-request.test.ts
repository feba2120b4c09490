import assert from 'node:assert/strict';
import { parseRequest, type RequestArguments, repeatedArguments } from '../../../src/oai/parse-request.ts';
import { ProtocolErrors } from '../../../src/oai/protocol.ts';

const argumentsOf = (query: string): RequestArguments => [...new URLSearchParams(query)];

function codesOf(query: string): readonly string[] {
  try {
    parseRequest(argumentsOf(query));
    return [];
  } catch (error) {
    assert.ok(error instanceof ProtocolErrors, String(error));
    return error.errors.map(({ code }) => code);
  }
}

const LIST = 'verb=ListRecords&metadataPrefix=oai_dc';

describe('A request of OAI-PMH', () => {
  for (const [query, codes] of [
    ['', 'badVerb'],
    ['verb=', 'badVerb'],
    ['verb=listRecords', 'badVerb'],
    ['verb=Identify&verb=Identify', 'badVerb'],
    ['verb=Identify', ''],
    ['verb=Identify&set=a', 'badArgument'],
    ['verb=Identify&a=1&b=2&b=3', 'badArgument badArgument badArgument'],
    ['verb=ListSets', ''],
    ['verb=ListSets&resumptionToken=x', 'badResumptionToken'],
    ['verb=ListMetadataFormats', ''],
    ['verb=ListMetadataFormats&identifier=a', ''],
    ['verb=ListMetadataFormats&identifier=a&identifier=a', 'badArgument'],
    ['verb=GetRecord', 'badArgument badArgument'],
    ['verb=GetRecord&identifier=a', 'badArgument'],
    ['verb=GetRecord&identifier=a&metadataPrefix=b', ''],
    ['verb=ListRecords', 'badArgument'],
    ['verb=ListRecords&resumptionToken=x', ''],
    [`${LIST}&resumptionToken=x`, 'badArgument'],
    [`${LIST}&from=2024-01-01&until=2024-01-01`, ''],
    [`${LIST}&from=2024-01-01T00:00:00Z`, ''],
    [`${LIST}&from=2024-01-01&until=2024-01-01T00:00:00Z`, 'badArgument'],
    [`${LIST}&from=2024-01-02&until=2024-01-01`, 'badArgument'],
    [`${LIST}&from=2024-02-30`, 'badArgument'],
    [`${LIST}&from=2024-01-01T00:00:00.0Z`, 'badArgument'],
    [`${LIST}&from=2024-01-01T00:00:00&until=2024`, 'badArgument badArgument'],
    [`${LIST}&from=`, 'badArgument'],
    ['verb=ListIdentifiers&metadataPrefix=oai_dc&set=', ''],
  ] as const) {
    it(`${query || 'without arguments'} is ${codes || 'right'}`, () => {
      assert.equal(codesOf(query).join(' '), codes);
    });
  }

  it('has a whole day, or a whole second, as its limits', () => {
    const request = parseRequest(argumentsOf(`${LIST}&from=2024-02-29&until=2024-03-01`));
    const { from, until } = request as { readonly from: { first: number }; readonly until: { last: number } };
    assert.equal(new Date(from.first * 1000).toISOString(), '2024-02-29T00:00:00.000Z');
    assert.equal(new Date(until.last * 1000).toISOString(), '2024-03-01T23:59:59.000Z');
  });

  it('is repeated in an answer, unless its arguments are at fault', () => {
    const given = argumentsOf(LIST);
    assert.deepEqual(repeatedArguments(given, [{ code: 'noRecordsMatch' }]), given);
    assert.deepEqual(repeatedArguments(given, [{ code: 'badArgument' }]), []);
  });
});
