import assert from 'node:assert/strict';
import { shownUrl } from '../../../../src/datasets/fetch/shown-url.ts';

describe('shownUrl', () => {
  it('leaves out what gives access: logins, and queries of signed URLs', () => {
    for (const query of [
      'X-Amz-Algorithm=AWS4&X-Amz-Signature=abc&response-content-type=text',
      'AWSAccessKeyId=a&Signature=b&Expires=1',
      'GoogleAccessId=a&Expires=1&Signature=b',
      'X-Goog-Signature=a',
      'sp=r&sv=2022&sig=abc',
      'Policy=a&Key-Pair-Id=b',
      'token=abc',
      'access_token=abc',
      'api_key=abc',
      'key=abc',
    ]) {
      assert.equal(shownUrl(`https://a:b@s3.example/file.csv?${query}#c`), 'https://s3.example/file.csv', query);
    }
    assert.equal(shownUrl('no URL?token=abc'), 'no URL');
  });

  it('leaves what names a dataset', () => {
    for (const url of [
      'https://dataverse.example/dataset.xhtml?persistentId=doi:10.7910/DVN/CLSFKX&version=1.1',
      'https://data.example/api/access/datafile/1?format=original&gbrecs=true',
      'https://data.example/search?keyword=tokens&page=2',
    ]) {
      assert.equal(shownUrl(url), url);
    }
  });
});
