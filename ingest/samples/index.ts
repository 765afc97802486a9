/** Synthetic rows for datasets that have a generator, for demonstration. */
export { publishSamples, SAMPLES, sampleDays, samplesMissing } from './publish-samples.ts'
