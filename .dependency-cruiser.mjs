/**
 * The modules in import order. A module imports the entry points (`index.ts`) of modules above it. Type imports count, and there are no
 * cycles. Files of one module import each other directly, never their own entry point.
 *
 * `test/behaviour/architecture/architecture.test.ts` checks these rules. By hand:
 * `npx depcruise --output-type err-long catalog clients src ingest portal`.
 */
export const MODULES = [
  'clients/typescript/src',
  'catalog/schema',
  'catalog/datasets',
  'catalog/register',
  'catalog',
  'src/core',
  'src/engine',
  'src/releases',
  'src/delta',
  'src/row-cache',
  'src/calendar',
  'src/formats',
  'src/read',
  'src/field-query',
  'src/sql',
  'src/search',
  'src/coverage',
  'src/state',
  'src/mail',
  'src/accounts',
  'src/webhooks',
  'src/usage',
  'src/billing',
  'src/control',
  'src/access',
  'src/operations',
  'src/metrics',
  'src/mcp',
  'src/traces',
  'src/http/kernel',
  'src/http/openapi',
  'src/site',
  'src/http/routes',
  'src/http',
  'portal',
  'ingest/formats',
  'ingest/feeds',
  'ingest/publish',
  'ingest/mappings',
  'ingest/history',
  'ingest/mirror',
  'ingest/fetchers',
  'ingest/intake',
  'ingest/derive',
  'ingest/calendar',
  'ingest/samples',
  'ingest',
  'ingest/schedule',
  'ingest/inbox',
  'ingest/quarantine',
  'src/main.ts',
  'src/cli',
]

/** Market data modules. They and the account modules never import each other. */
const DATA_PLANE = ['engine', 'releases', 'delta', 'row-cache', 'calendar', 'formats', 'read', 'field-query', 'sql', 'search', 'coverage']

/** Library → the modules that import it. */
export const LIBRARIES = {
  '@duckdb/node-api': ['src/engine'],
  '@fastify/cors': ['src/http/kernel'],
  '@modelcontextprotocol/server': ['src/mcp'],
  'apache-arrow': ['clients/typescript/src', 'src/formats'],
  'better-sqlite3': ['src/state'],
  'cli-progress': ['src/cli'],
  codemirror: ['portal'],
  '@codemirror/lang-sql': ['portal'],
  '@codemirror/language': ['portal'],
  '@codemirror/state': ['portal'],
  '@codemirror/view': ['portal'],
  commander: ['src/cli'],
  croner: ['ingest/schedule'],
  'csv-parse': ['ingest/formats'],
  'fastest-levenshtein': ['src/core'],
  fastify: ['src/http/kernel', 'src/http/openapi', 'src/http'],
  'highlight.js': ['src/site'],
  'hyparquet-writer': ['src/formats'],
  'iconv-lite': ['ingest/formats'],
  'ipaddr.js': ['src/core'],
  '@lezer/highlight': ['portal'],
  'lightweight-charts': ['portal'],
  'lru-cache': ['src/engine', 'src/releases', 'src/row-cache', 'src/read', 'src/sql', 'src/accounts', 'src/usage', 'src/access', 'src/http/kernel'],
  marked: ['src/site'],
  minisearch: ['src/search'],
  'opencc-js': ['src/search'],
  'node-html-parser': ['ingest/formats'],
  nodemailer: ['src/mail'],
  pino: ['src/core'],
  preact: ['portal'],
  '@preact/signals': ['portal'],
  '@tanstack/virtual-core': ['portal'],
  'request-filtering-agent': ['src/webhooks'],
  stripe: ['src/billing'],
  undici: ['src/traces', 'ingest/mirror', 'ingest/fetchers'],
  vite: ['portal'],
  zod: ['src/core', 'src/releases', 'src/delta', 'src/mcp', 'src/http/kernel', 'src/http/openapi', 'src/site', 'src/http/routes', 'ingest/mappings', 'ingest/mirror'],
}

/** Every file that the rules cover. */
const OURS = '^(catalog|clients|src|ingest|portal)/'

const modules = MODULES.filter(module => !module.endsWith('.ts'))
const escaped = text => text.replaceAll('.', '\\.')
const hasInnerModules = module => modules.some(other => other.startsWith(`${module}/`))
/** Files of a module, without those of modules inside it. */
const filesOf = module => (module.endsWith('.ts') ? `^${escaped(module)}$` : `^${module}/${hasInnerModules(module) ? '[^/]+$' : ''}`)
const entryPointOf = module => `^${module}/index\\.ts$`

const upOnly = MODULES.slice(0, -1).map((module, at) => ({
  name: `${module} imports modules above it only`,
  severity: 'error',
  from: { path: filesOf(module) },
  to: { path: MODULES.slice(at + 1).map(filesOf) },
}))

const byEntryPoint = modules.map(module => ({
  name: `${module} is imported by its entry point`,
  severity: 'error',
  from: { path: OURS, pathNot: filesOf(module) },
  to: { path: filesOf(module), pathNot: entryPointOf(module) },
}))

const fromInside = modules.map(module => ({
  name: `${module} does not import its own entry point`,
  severity: 'error',
  from: { path: filesOf(module), pathNot: entryPointOf(module) },
  to: { path: entryPointOf(module) },
}))

const libraries = Object.entries(LIBRARIES).map(([name, owners]) => ({
  name: `library ${name} stays in ${owners.join(', ')}`,
  severity: 'error',
  from: { path: OURS, pathNot: owners.map(filesOf) },
  to: { path: `^node_modules/(@types/)?${escaped(name)}/` },
}))

/** The launcher runs on any Node, before TypeScript can be loaded. */
const LAUNCHER = '^src/run\\.mjs$'

export default {
  forbidden: [
    {
      name: 'every file belongs to a module',
      severity: 'error',
      from: { path: OURS, pathNot: [...MODULES.map(filesOf), LAUNCHER] },
      to: {},
    },
    {
      name: 'no import leads outside the modules',
      severity: 'error',
      from: { path: OURS },
      to: { path: '^(catalog|clients|src|ingest|test|bench|docs|examples)/', pathNot: MODULES.map(filesOf) },
    },
    ...upOnly,
    ...byEntryPoint,
    ...fromInside,
    {
      name: 'dataset files import catalog/schema only',
      severity: 'error',
      from: { path: '^catalog/datasets/' },
      to: { pathNot: '^catalog/schema/index\\.ts$' },
    },
    {
      name: 'only catalog imports catalog/schema',
      severity: 'error',
      from: { pathNot: '^catalog/' },
      to: { path: '^catalog/schema/' },
    },
    {
      name: 'account modules do not import market data modules',
      severity: 'error',
      from: { path: '^src/(state|mail|accounts|webhooks|usage|billing|control|access)/' },
      to: { path: `^src/(${DATA_PLANE.join('|')})/` },
    },
    {
      name: 'routes and pages do not import access',
      severity: 'error',
      from: { path: '^src/(http/(routes|openapi)|site)/' },
      to: { path: '^src/access/' },
    },
    {
      name: 'only commands import ingest',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^ingest/' },
    },
    {
      name: 'HTTP belongs to the HTTP service, to metrics and to billing, SQLite to state through its library',
      severity: 'error',
      from: { path: OURS, pathNot: '^src/(http|metrics|state|webhooks|billing)/' },
      to: { dependencyTypes: ['core'], path: '^(node:)?(https?|http2|sqlite)$' },
    },
    {
      name: 'ingest does not import accounts or HTTP',
      severity: 'error',
      from: { path: '^ingest/' },
      to: { path: '^(src/(state|mail|accounts|webhooks|usage|billing|control|access|operations|http)|portal)/' },
    },
    {
      name: 'the published client imports its own files only, its Arrow entry also apache-arrow',
      severity: 'error',
      from: { path: '^clients/', pathNot: '^clients/typescript/src/arrow\\.ts$' },
      to: { pathNot: '^clients/typescript/src/' },
    },
    {
      name: 'only readers of the API use the client',
      severity: 'error',
      from: { path: '^(catalog|src|ingest)/', pathNot: '^(src/cli|ingest/mirror)/' },
      to: { path: '^clients/' },
    },
    {
      name: 'only types of the client are imported, because images do not contain it',
      severity: 'error',
      from: { path: '^(catalog|src|ingest|portal)/' },
      to: { path: '^clients/', dependencyTypesNot: ['type-only'] },
    },
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
    ...libraries,
    {
      name: 'library without an owner module',
      severity: 'error',
      from: { path: OURS },
      to: {
        path: '^node_modules/',
        pathNot: Object.keys(LIBRARIES).map(name => `^node_modules/(@types/)?${escaped(name)}/`),
      },
    },
    { name: 'every import resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Build output is not checked.
    exclude: { path: '^(portal|clients/typescript)/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
