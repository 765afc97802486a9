/**
 * Declarations of datasets, plans, prices and entities. Side effects: `loadCatalog` reads the
 * folder of dataset files, and `setPlans` replaces the plans.
 */

export { HOMEPAGE_DATASET, HOMEPAGE_INDICES, type HomepageIndex } from './homepage.ts'
export { type Catalog, crossSections, described, loadCatalog, served } from './load.ts'
export { BUILT_IN_PLANS, meets, PLANS, type Plan, type Plans, plansRevision, setPlans, UPGRADE_URL } from './plans.ts'
export { creditsOfRows, FORMATS, type Format, PRODUCTS, QUERY, SEARCH, SQL, SQL_BUDGETS, type SqlBudget } from './products.ts'
export * from './schema/index.ts'
