/** The activity that writes a file, for the `doc` of its schema. */
interface DocumentedActivity {
  /** Such as `mapping`. */
  readonly activity: string;
  readonly provider: string;
  /** The key of the Avro file that it derives from; for a harvest, the source. */
  readonly generator: string;
  /** Name, version and commit of the program: see config/version.ts. */
  readonly software: string;
}

/** The `doc` of a schema. It is for people: programs read the provenance file. */
export function docText({ activity, provider, generator, software }: DocumentedActivity): string {
  return `${activity} of ${provider}, derived from ${generator}; written by ${software}`;
}
