import { startPlatforms } from '../../../test/support/dataset-platforms.ts';

// Serves datasets as Zenodo does, at /records/FIRST and the numbers after it, and prints its URL.
interface Options {
  readonly first: number;
  readonly datasets: number;
  readonly files: number;
  /** Bytes of a file. */
  readonly size: number;
}

const { first, datasets, files, size } = JSON.parse(process.argv[2]!) as Options;
const platforms = await startPlatforms();
for (let number = first; number < first + datasets; number++) {
  const names = Array.from({ length: files }, (_, file) => `${number}-${file}.dat`);
  platforms.add({ platform: 'zenodo', id: String(number), files: names.map((name) => ({ name, size })) });
}
process.stdout.write(`${platforms.url}\n`);
