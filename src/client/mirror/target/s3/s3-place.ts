import { TidemarkError } from '../../../../core/errors.ts';
import type { S3ClientSettings } from '../../../../lib/s3/s3-client.ts';
import { describeS3, type S3Location } from '../../../../lib/s3/s3-location.ts';
import type { MirrorState } from '../../state/mirror-state.ts';
import type { MirrorPlace } from '../mirror-place.ts';

interface S3PlaceOptions {
  readonly settings: S3ClientSettings;
  /** A local folder, absolute: the SQLite database of the state cannot be in a bucket. */
  readonly stateFolder: string;
}

/** A prefix of a bucket, with its state in a local folder. */
export function s3Place(location: S3Location, { settings, stateFolder }: S3PlaceOptions): MirrorPlace {
  const name = describeS3(location);
  return {
    name,
    stateFolder,
    prepare() {},
    async open(opening) {
      requireStateOf(name, opening.state, stateFolder);
      // Loaded only when needed: the client takes 100 milliseconds to load, and copies in folders do not use it.
      const [{ Bucket }, { WriteRequests }, { claimBucket }, { S3Target }] = await Promise.all([
        import('../../../../lib/s3/bucket.ts'),
        import('../../../../lib/s3/write-requests.ts'),
        import('./bucket-claim.ts'),
        import('./s3-target.ts'),
      ]);
      const bucket = new Bucket(location, settings, 'mirror');
      const requests = new WriteRequests(bucket);
      try {
        const claim = await claimBucket(requests, opening);
        return await S3Target.open({ requests, claim, own: opening.own });
      } catch (error) {
        bucket.close();
        throw error;
      }
    },
  };
}

/** @throws TidemarkError `conflict` when the folder has the state of another copy */
function requireStateOf(name: string, state: MirrorState, folder: string): void {
  const before = state.fact('bucket')?.name ?? (state.fact('url') === undefined ? name : folder);
  if (before === name) return;
  const message = `${folder} has the state of the copy in ${before}: give another folder with --state`;
  throw new TidemarkError('conflict', message, { folder });
}
