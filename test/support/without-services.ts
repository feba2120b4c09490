// For the quick tests of every save: what needs a server is skipped, and says so.
for (const name of ['ELASTICSEARCH', 'S3']) process.env[`${name}_MISSING`] = 'the quick tests start no servers';
delete process.env.ELASTICSEARCH_URL;
delete process.env.S3_ENDPOINT;
