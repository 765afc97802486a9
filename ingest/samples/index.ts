/** Synthetic rows for every dataset, for demonstration. */
export { publishSamples, samplesMissing } from './publish-samples.ts'
