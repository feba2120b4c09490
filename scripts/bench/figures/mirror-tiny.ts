import type { Bench } from '../figure.ts';
import { runMirror } from '../support/mirror-client.ts';
import type { ClientRun } from '../support/run-client.ts';
import { TinySource } from '../support/tiny-source.ts';

const FILES = 1_000_000;
const CONNECTIONS = 16;

export const mirrorTiny: Bench = {
  name: 'mirror-tiny',
  about: 'the first copy of 1,000,000 files of some 20 bytes, from a bare source',

  async run({ runs, scale, folder, log }) {
    const count = Math.round(FILES * scale);
    const source = await TinySource.start(count);
    const measured: ClientRun[] = [];
    try {
      for (let run = 1; run <= runs; run++) {
        const copy = folder.next('copy');
        const mirror = () => runMirror(source.url, copy, '--connections', String(CONNECTIONS));
        const one = await mirror();
        if (one.pass.fetched !== count || one.pass.failed > 0) throw new Error(JSON.stringify(one.pass));
        const { fetched, deleted, resources } = (await mirror()).pass;
        if (fetched + deleted > 0 || resources !== count) throw new Error('a second pass found the copy unequal');
        measured.push(one);
        const [wall, used] = [one.seconds.toFixed(0), one.processor.toFixed(0)];
        log(`${run}: ${wall} s, ${used} s of the processor, ${one.memory.toFixed(0)} MB`);
      }
    } finally {
      await source.close();
    }
    const name = `copying ${count.toLocaleString('en')} files of some 20 bytes`;
    return [
      { name, unit: 'files/s', ours: measured.map(({ seconds }) => count / seconds) },
      { name: '… processor time of the client', unit: 's', ours: measured.map(({ processor }) => processor) },
      { name: '… peak memory', unit: 'MB', ours: measured.map(({ memory }) => memory) },
    ];
  },
};
