/** What the catalog, coverage, statistics, updates and reconciliation pages state, derived from manifests. */

export { type CatalogState, type CatalogStateDeps, cachePerDataset, cachePerState, createCatalogState } from './catalog-state.ts'
export { coverageList, coverageOverview, coverageView, symbolCoverage, tickerCoverage } from './coverage.ts'
export { datasetNamed, datasetsView, findDataset, findDescribed } from './datasets.ts'
export { createMarketIndices } from './market-indices.ts'
export { createParents } from './parents.ts'
export { productView, tiersView } from './product.ts'
export { createPublications, type Publications } from './publications.ts'
export { BADGE_REASONS, BADGES, reconciliationView } from './reconciliation.ts'
export { schemaView } from './schema.ts'
export { createStats } from './stats.ts'
export { NO_UPDATES, updatesView } from './updates.ts'
export { UPDATE_CATEGORIES } from './updates-cursor.ts'
