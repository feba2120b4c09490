import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';

/**
 * Asks for every page of a bucket's list, and does nothing with it: node list-objects.ts ENDPOINT BUCKET, with keys in
 * the environment.
 */
const [endpoint = '', Bucket = ''] = process.argv.slice(2);
const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true });
let objects = 0;
let ContinuationToken: string | undefined;
do {
  const page = await client.send(new ListObjectsV2Command({ Bucket, ContinuationToken }));
  objects += page.Contents?.length ?? 0;
  ContinuationToken = page.NextContinuationToken;
} while (ContinuationToken !== undefined);
client.destroy();
console.log(JSON.stringify({ objects }));
