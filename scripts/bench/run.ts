import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import type { Bench, BenchOptions } from './figure.ts';
import { activityHarvest } from './figures/activity-harvest.ts';
import { avroRead, avroWrite } from './figures/avro.ts';
import { avroRandom } from './figures/avro-random.ts';
import { backup } from './figures/backup.ts';
import { changeDump } from './figures/change-dump.ts';
import { datasetFiles } from './figures/dataset-files.ts';
import { datasetLarge } from './figures/dataset-large.ts';
import { datasets } from './figures/datasets.ts';
import { distinctFiles } from './figures/distinct-files.ts';
import { distinctRecords } from './figures/distinct-records.ts';
import { dumpMemory } from './figures/dump-memory.ts';
import { elasticsearchIdle } from './figures/elasticsearch-idle.ts';
import { elasticsearchLargeSet } from './figures/elasticsearch-large-set.ts';
import { elasticsearchPage } from './figures/elasticsearch-page.ts';
import { elasticsearchPosting } from './figures/elasticsearch-posting.ts';
import { elasticsearchSearch } from './figures/elasticsearch-search.ts';
import { elasticsearchSingleEvent } from './figures/elasticsearch-single-event.ts';
import { elasticsearchSmallSets } from './figures/elasticsearch-small-sets.ts';
import { elasticsearchVerify } from './figures/elasticsearch-verify.ts';
import { harvest } from './figures/harvest.ts';
import { harvestIncrement } from './figures/harvest-increment.ts';
import { harvestMany } from './figures/harvest-many.ts';
import { elasticsearchIngest, ingest } from './figures/ingest.ts';
import { elasticsearchJobs, jobs } from './figures/jobs.ts';
import { keepVersions } from './figures/keep-versions.ts';
import { landingPages } from './figures/landing-pages.ts';
import { elasticsearchLarge, large } from './figures/large.ts';
import { largeSets } from './figures/large-sets.ts';
import { marcRead } from './figures/marc-read.ts';
import { marcXmlWrite } from './figures/marcxml-write.ts';
import { mirror } from './figures/mirror.ts';
import { mirrorCompare } from './figures/mirror-compare.ts';
import { mirrorFollow } from './figures/mirror-follow.ts';
import { elasticsearchMirrorMemory, mirrorMemory } from './figures/mirror-memory.ts';
import { mirrorTiny } from './figures/mirror-tiny.ts';
import { elasticsearchNotifications, notifications } from './figures/notifications.ts';
import { oaiList } from './figures/oai-list.ts';
import { oneChange } from './figures/one-change.ts';
import { operatorOverview } from './figures/operator-overview.ts';
import { page } from './figures/page.ts';
import { elasticsearchPodLists, podLists } from './figures/pod-lists.ts';
import { posting } from './figures/posting.ts';
import { processAgain } from './figures/process-again.ts';
import { rebuild } from './figures/rebuild.ts';
import { recordRead } from './figures/record-read.ts';
import { recordsCompare } from './figures/records-compare.ts';
import { reharvest } from './figures/reharvest.ts';
import { removeUpload } from './figures/remove-upload.ts';
import { resourceDump } from './figures/resource-dump.ts';
import { resourceDumpRebuild } from './figures/resource-dump-rebuild.ts';
import { s3Files } from './figures/s3-files.ts';
import { s3Scan } from './figures/s3-scan.ts';
import { scan } from './figures/scan.ts';
import { serving } from './figures/serving.ts';
import { singleEvent } from './figures/single-event.ts';
import { smallUploads } from './figures/small-uploads.ts';
import { streamDumps } from './figures/stream-dumps.ts';
import { upload } from './figures/upload.ts';
import { validate } from './figures/validate.ts';
import { warc } from './figures/warc.ts';
import { watch } from './figures/watch.ts';
import { wholeList } from './figures/whole-list.ts';
import { xslt } from './figures/xslt.ts';
import { type Line, lineOf, tableOf } from './support/table.ts';
import { TemporaryFolder } from './support/temporary-folder.ts';

const BENCHES: readonly Bench[] = [
  posting,
  singleEvent,
  page,
  wholeList,
  validate,
  mirror,
  mirrorCompare,
  mirrorFollow,
  mirrorTiny,
  oneChange,
  scan,
  s3Scan,
  watch,
  mirrorMemory,
  serving,
  distinctFiles,
  s3Files,
  distinctRecords,
  activityHarvest,
  avroWrite,
  avroRead,
  avroRandom,
  marcRead,
  streamDumps,
  marcXmlWrite,
  upload,
  ingest,
  removeUpload,
  processAgain,
  harvest,
  reharvest,
  harvestIncrement,
  harvestMany,
  datasetFiles,
  warc,
  datasets,
  datasetLarge,
  landingPages,
  oaiList,
  operatorOverview,
  podLists,
  xslt,
  backup,
  rebuild,
  recordsCompare,
  recordRead,
  jobs,
  notifications,
  resourceDump,
  resourceDumpRebuild,
  dumpMemory,
  keepVersions,
  changeDump,
  smallUploads,
  elasticsearchPodLists,
  elasticsearchPosting,
  elasticsearchSingleEvent,
  elasticsearchPage,
  elasticsearchMirrorMemory,
  elasticsearchLargeSet,
  elasticsearchIdle,
  elasticsearchSmallSets,
  elasticsearchVerify,
  elasticsearchSearch,
  elasticsearchJobs,
  elasticsearchNotifications,
  elasticsearchIngest,
  large,
  largeSets,
  elasticsearchLarge,
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '5' },
    scale: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

if (values.help) {
  console.log('npm run bench -- [NAME...] [--runs 5] [--scale 1] [--json]\n\n--scale 0.1 does a tenth of the work.\n');
  console.log(namesAndPurposes());
  process.exit(0);
}
const unknown = positionals.filter((name) => !BENCHES.some((bench) => bench.name === name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(', ')}. There are:\n${namesAndPurposes()}`);
  process.exit(2);
}

const lines: Line[] = [];
for (const bench of BENCHES.filter(({ name, onlyByName }) =>
  positionals.length === 0 ? !onlyByName : positionals.includes(name),
)) {
  lines.push(...(await runBench(bench)));
}
if (values.json) console.log(JSON.stringify(lines, null, 2));
else console.log(tableOf(lines));
if (lines.some(({ ok }) => ok === false)) process.exitCode = 1;

function namesAndPurposes(): string {
  return BENCHES.map(({ name, about }) => `  ${name.padEnd(22)} ${about}`).join('\n');
}

async function runBench(bench: Bench): Promise<readonly Line[]> {
  const folder = new TemporaryFolder();
  const log = (text: string) => console.error(`  ${text}`);
  const options: BenchOptions = { runs: Number(values.runs), scale: Number(values.scale), folder, log };
  const busy = loadavg()[0]!;
  console.error(`${bench.name}: ${bench.about} (${availableParallelism()} cores, load ${busy.toFixed(1)} before)`);
  try {
    return (await bench.run(options)).map(lineOf);
  } finally {
    folder.remove();
  }
}
