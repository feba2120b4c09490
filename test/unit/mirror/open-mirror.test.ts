import assert from 'node:assert/strict';
import type { MirrorOptions } from '../../../src/client/mirror/mirror-options.ts';
import { openMirror } from '../../../src/client/mirror/open-mirror.ts';
import { folderPlace } from '../../../src/client/mirror/target/folder-place.ts';
import type { MirrorPlace } from '../../../src/client/mirror/target/mirror-place.ts';
import { MirroredSource } from '../../support/mirrored-source.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('openMirror', () => {
  const folder = useTempFolder();
  let source: MirroredSource;

  beforeEach(async () => {
    source = await MirroredSource.start();
    source.put({ 'a.txt': 'a' }).list('2026-01-01T00:00:00Z');
  });
  afterEach(() => source.close());

  const open = (place: MirrorPlace) =>
    openMirror({
      ...{ url: source.url, place, adopt: false, keepDeleted: false, dump: false, connections: 1, rate: Infinity },
      ...{ allowedHosts: [], signal: new AbortController().signal, waitsForSource: false },
      ...{ onProgress() {}, onNotice() {}, onPause() {}, onOutage() {} },
    } satisfies MirrorOptions);

  it('releases the lock of a copy also when its target cannot be closed', async () => {
    const place = folderPlace(folder.at('copy'));
    const failure = new Error('it cannot be closed');
    const failing: MirrorPlace = {
      ...place,
      async open(opening) {
        const target = await place.open(opening);
        const close = target.close.bind(target);
        target.close = () => close().then(() => Promise.reject(failure));
        return target;
      },
    };
    await assert.rejects((await open(failing)).close(), failure);
    await (await open(place)).close();
  });
});
