/** Synthetic rows for datasets that have a generator, for demonstration. */
export { publishSamples, SAMPLES, samplesMissing } from './publish-samples.ts'
