/** Documentation pages and the portal's HTML shell. */
export { docsRoutes } from './docs/routes.ts'
export { loadAssets } from './portal/assets.ts'
export { notFoundPage, type PortalDeps, portalRoutes } from './portal/routes.ts'
export { createShell, PAGE_HEADERS } from './portal/shell.ts'
