/** What exists: datasets, plans, products and entities. Declares; reads and writes nothing but the folder of dataset files. */

export { FORMATS } from './formats.ts'
export { HOMEPAGE_DATASET, HOMEPAGE_INDICES, type HomepageIndex } from './homepage.ts'
export { type Catalog, loadCatalog, served } from './load.ts'
export { meets, PLAN_IDS, PLANS, type Plan } from './plans.ts'
export { PRODUCTS, QUERY, SEARCH } from './products.ts'
export * from './schema/index.ts'
