/** Synthetic rows for demonstrations. */
export { publishSamples, SAMPLES, sampleDays, samplesMissing } from './publish-samples.ts'
