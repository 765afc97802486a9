/** What exists: datasets, plans, products and entities. Only declarations; the one effect is reading the folder of dataset files. */

export { HOMEPAGE_DATASET, HOMEPAGE_INDICES, type HomepageIndex } from './homepage.ts'
export { type Catalog, crossSections, described, loadCatalog, served } from './load.ts'
export { meets, PLANS, type Plan, UPGRADE_URL } from './plans.ts'
export { creditsOfRows, FORMATS, type Format, PRODUCTS, QUERY, SEARCH } from './products.ts'
export * from './schema/index.ts'
