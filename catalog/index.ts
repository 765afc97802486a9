/**
 * Declarations of datasets, plans, prices and entities. Reading the folder of dataset files is the
 * only effect.
 */

export { HOMEPAGE_DATASET, HOMEPAGE_INDICES, type HomepageIndex } from './homepage.ts'
export { type Catalog, crossSections, described, loadCatalog, served } from './load.ts'
export { meets, PLANS, type Plan, UPGRADE_URL } from './plans.ts'
export { creditsOfRows, FORMATS, type Format, PRODUCTS, QUERY, SEARCH } from './products.ts'
export * from './schema/index.ts'
