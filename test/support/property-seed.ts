import fc from 'fast-check';

// Properties try the same values as in the run whose failure named this seed.
fc.configureGlobal({ seed: Number(process.env.PROPERTY_SEED) });
