import { buildWithGo } from './build-with-go.ts';

/** The program of the S3 server. Go builds it once: the first time takes two minutes and 1.5 GB of Go's caches. */
export function installS3(): Promise<string> {
  return buildWithGo({
    module: 'github.com/versity/versitygw/cmd/versitygw',
    // The same as in docker-compose.yml.
    version: 'v1.8.0',
    name: 'versitygw',
    folder: 'versitygw',
    needed:
      'Go, which builds the S3 server versitygw, was not found: ' +
      'install Go 1.25 or newer (https://go.dev/dl), or name a server in S3_ENDPOINT',
  });
}

if (import.meta.main) console.log(await installS3());
