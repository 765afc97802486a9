/**
 * The rooms of the house, top to bottom. A room imports the doors (`index.ts`) of rooms above it and nothing below it; type imports count,
 * and nothing imports in a circle. Inside a room files import each other directly, never their own door.
 *
 * `test/behaviour/architecture/architecture.test.ts` runs these rules and lists what breaks them; `npx depcruise --output-type err-long catalog src ingest portal` does by hand.
 */
export const ROOMS = [
  'catalog/schema',
  'catalog/datasets',
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

/** Rooms that hold market data and know no caller; `src/accounts` knows the callers and holds no market data. */
const DATA_PLANE = ['engine', 'releases', 'delta', 'row-cache', 'calendar', 'formats', 'read', 'field-query', 'search', 'coverage']

/** Package → the rooms that import it; an upgrade is a change in these rooms. */
export const LIBRARIES = {
  '@duckdb/node-api': ['src/engine'],
  '@fastify/cors': ['src/http/kernel'],
  '@modelcontextprotocol/server': ['src/mcp'],
  'apache-arrow': ['src/formats'],
  'better-sqlite3': ['src/state'],
  'cli-progress': ['src/cli'],
  commander: ['src/cli'],
  croner: ['ingest/schedule'],
  'csv-parse': ['ingest/formats'],
  'fastest-levenshtein': ['src/core'],
  fastify: ['src/http/kernel', 'src/http/openapi', 'src/http'],
  'hyparquet-writer': ['src/formats'],
  'iconv-lite': ['ingest/formats'],
  'ipaddr.js': ['src/core'],
  'lightweight-charts': ['portal'],
  'lru-cache': ['src/engine', 'src/releases', 'src/row-cache', 'src/read', 'src/accounts', 'src/webhooks', 'src/usage', 'src/access', 'src/http/kernel'],
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
  zod: ['src/core', 'src/releases', 'src/mcp', 'src/http/kernel', 'src/http/openapi', 'src/site', 'src/http/routes', 'ingest/mappings', 'ingest/mirror'],
}

const rooms = ROOMS.filter(room => !room.endsWith('.ts'))
const escaped = text => text.replaceAll('.', '\\.')
const hasInnerRooms = room => rooms.some(other => other.startsWith(`${room}/`))
/** Files of a room; where there are rooms inside it, only those beside them. */
const filesOf = room => (room.endsWith('.ts') ? `^${escaped(room)}$` : `^${room}/${hasInnerRooms(room) ? '[^/]+$' : ''}`)
const doorOf = room => `^${room}/index\\.ts$`

const upOnly = ROOMS.slice(0, -1).map((room, at) => ({
  name: `${room} imports rooms above it only`,
  severity: 'error',
  from: { path: filesOf(room) },
  to: { path: ROOMS.slice(at + 1).map(filesOf) },
}))

const byTheDoor = rooms.map(room => ({
  name: `${room} is entered by its door`,
  severity: 'error',
  from: { path: '^(catalog|src|ingest|portal)/', pathNot: filesOf(room) },
  to: { path: filesOf(room), pathNot: doorOf(room) },
}))

const fromInside = rooms.map(room => ({
  name: `${room} does not import its own door`,
  severity: 'error',
  from: { path: filesOf(room), pathNot: doorOf(room) },
  to: { path: doorOf(room) },
}))

const libraries = Object.entries(LIBRARIES).map(([name, owners]) => ({
  name: `library ${name} stays in ${owners.join(', ')}`,
  severity: 'error',
  from: { path: '^(catalog|src|ingest|portal)/', pathNot: owners.map(filesOf) },
  to: { path: `^node_modules/(@types/)?${escaped(name)}/` },
}))

/** The launcher runs before any TypeScript can be read, on whatever Node there is. */
const LAUNCHER = '^src/run\\.mjs$'

export default {
  forbidden: [
    {
      name: 'every file lies in a room',
      severity: 'error',
      from: { path: '^(catalog|src|ingest|portal)/', pathNot: [...ROOMS.map(filesOf), LAUNCHER] },
      to: {},
    },
    {
      name: 'nothing imports a file outside the rooms',
      severity: 'error',
      from: { path: '^(catalog|src|ingest|portal)/' },
      to: { path: '^(catalog|src|ingest|test|bench|docs|examples)/', pathNot: ROOMS.map(filesOf) },
    },
    ...upOnly,
    ...byTheDoor,
    ...fromInside,
    {
      name: 'datasets say what catalog/schema lets them, and nothing else',
      severity: 'error',
      from: { path: '^catalog/datasets/' },
      to: { pathNot: '^catalog/schema/index\\.ts$' },
    },
    {
      name: 'catalog/schema is the inside of catalog',
      severity: 'error',
      from: { pathNot: '^catalog/' },
      to: { path: '^catalog/schema/' },
    },
    {
      name: 'the two planes meet in operations only',
      severity: 'error',
      from: { path: '^src/(state|mail|accounts|webhooks|usage|billing|control|access)/' },
      to: { path: `^src/(${DATA_PLANE.join('|')})/` },
    },
    {
      name: 'callers are admitted by the kernel and served by operations',
      severity: 'error',
      from: { path: '^src/(http/(routes|openapi)|site)/' },
      to: { path: '^src/access/' },
    },
    {
      name: 'a service does not publish',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/cli/' },
      to: { path: '^ingest/' },
    },
    {
      name: 'HTTP belongs to the HTTP service, to metrics and to billing, SQLite to state through its library',
      severity: 'error',
      from: { path: '^(catalog|src|ingest|portal)/', pathNot: '^src/(http|metrics|state|webhooks|billing)/' },
      to: { dependencyTypes: ['core'], path: '^(node:)?(https?|http2|sqlite)$' },
    },
    {
      name: 'ingest knows releases and no caller',
      severity: 'error',
      from: { path: '^ingest/' },
      to: { path: '^(src/(state|mail|accounts|webhooks|usage|billing|control|access|operations|http)|portal)/' },
    },
    { name: 'nothing imports in a circle', severity: 'error', from: {}, to: { circular: true } },
    ...libraries,
    {
      name: 'library without an owner room',
      severity: 'error',
      from: { path: '^(catalog|src|ingest|portal)/' },
      to: {
        path: '^node_modules/',
        pathNot: Object.keys(LIBRARIES).map(name => `^node_modules/(@types/)?${escaped(name)}/`),
      },
    },
    { name: 'imports what is there', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // What was built of the pages is nobody's code.
    exclude: { path: '^portal/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
