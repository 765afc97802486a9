/** Counters, gauges that are read at each scrape, and the metrics port. */
export { FAMILIES, type Family, type FamilyName } from './families.ts'
export { type MetricSources, type Metrics, openMetrics } from './metrics.ts'
