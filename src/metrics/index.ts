/** The service in figures: what is counted while it answers, what is read at a scrape, and the port that tells both. */
export { FAMILIES, type Family, type FamilyName } from './families.ts'
export { type MetricSources, type Metrics, openMetrics } from './metrics.ts'
