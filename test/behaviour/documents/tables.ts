import { readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { crossSection, fieldsOf, loadCatalog, PLAN_IDS, PLANS, type PlanId, pathOf, SQL_BUDGETS, served } from '../../../catalog/index.ts'
import { type OfficialTable, officialTables, SOURCES } from '../../../catalog/register/index.ts'
import { loadFeeds } from '../../../ingest/feeds/index.ts'
import { sourceOf } from '../../../ingest/fetchers/index.ts'
import type { Fetch } from '../../../ingest/formats/index.ts'
import { FAMILIES, type Family } from '../../../src/metrics/index.ts'
import { CHAPTERS, type Guide } from '../../../src/site/docs/chapters.ts'
import { plansTable } from '../../../src/site/docs/plans-table.ts'
import { FUNCTIONS, TABLE_FUNCTIONS } from '../../../src/sql/index.ts'
import { DOCUMENTS, textOf } from './documents.ts'

/** The modules in import order, and the modules that import each library. */
const { MODULES, LIBRARIES } = (await import(new URL('../../../.dependency-cruiser.mjs', import.meta.url).href)) as {
  readonly MODULES: readonly string[]
  readonly LIBRARIES: Readonly<Record<string, readonly string[]>>
}

/**
 * Generated tables by the name of their marker. `node test/behaviour/documents/tables.ts` writes
 * them into the documents.
 */
export async function tables(): Promise<Readonly<Record<string, readonly string[]>>> {
  const reads = served(await loadCatalog()).flatMap(dataset => [dataset, crossSection(dataset) ?? []].flat())
  const datasets = reads.map(dataset => {
    const params = Object.entries(dataset.filters).map(([name, { required, max = 1 }]) => {
      const marked = required ? `**${name}**` : name
      return max > 1 ? `${marked} (up to ${max})` : marked
    })
    return `| \`${pathOf(dataset)}\` ${dataset.titleZh} | ${dataset.access!.plan}, ${dataset.access!.credits} | ${params.join(', ')} |`
  })
  const placed = (kind: string): readonly string[] =>
    reads.flatMap(({ envelope, slug, sectionOf }) => (envelope.kind.startsWith(kind) && !sectionOf ? [slug] : []))
  const envelopes = ['A', 'B', 'C', 'D'].map(
    kind => `| ${kind} | \`${kind === 'B' ? 'envelope.data' : 'data'}\` | ${placed(kind).join(', ')} |`,
  )
  const feeds = [...(await loadFeeds()).values()].map(({ name, title, datasets }) => `| \`${name}\` | ${title} | ${datasets.join(', ')} |`)
  const fetched = [...(await loadFeeds()).values()].flatMap(({ name, fetch }) =>
    fetch === undefined ? [] : [`| \`${name}\` | ${fetch.map(wayText).join('; ')} |`],
  )
  const aliases = [...fieldsOf((await loadCatalog()).values())].flatMap(([entity, fields]) =>
    [...fields.values()].flatMap(({ name, aliasOf }) => (aliasOf === null ? [] : [`| ${entity} | \`${name}\` | \`${aliasOf}\` |`])),
  )
  const knownAt = served(await loadCatalog()).flatMap(({ slug, knownAt }) =>
    knownAt === undefined ? [] : [`| \`${slug}\` | \`${knownAt}\` |`],
  )
  const statuses = new Map([...(await loadCatalog()).values()].map(({ slug, status }) => [slug, status]))
  const register = officialTables().map(table => ({ ...table, status: registerStatus(table, statuses) }))
  return {
    'register-totals': registerTotals(register),
    register: SOURCES.flatMap(({ name, url }) => [
      '',
      `## ${name}`,
      '',
      url === '' ? OTHER_TABLES : `Paths are relative to <${url}>.`,
      '',
      '| table | title | status |',
      '|---|---|---|',
      ...register.filter(({ source }) => source === name).map(({ path, title, status }) => `| \`${path}\` | ${title} | ${status.text} |`),
    ]).slice(1),
    'known-at': ['| dataset | day of announcement |', '|---|---|', ...knownAt],
    aliases: ['| entity | former name | present name |', '|---|---|---|', ...aliases],
    plans: plansTable(),
    'sql-budgets': ['| plan | time | memory |', '|---|---|---|', ...PLAN_IDS.map(budgetLine)],
    'sql-functions': [
      '| initial | functions |',
      '|---|---|',
      ...[...Map.groupBy([...FUNCTIONS].filter(name => /^[a-z]/.test(name)).sort(), name => name[0]!)].map(functionsLine),
      `| in FROM | ${[...TABLE_FUNCTIONS].map(name => `\`${name}\``).join(', ')} |`,
    ],
    datasets: ['| path | plan, credits | parameters |', '|---|---|---|', ...datasets],
    envelopes: ['| envelope | rows are in | datasets |', '|---|---|---|', ...envelopes],
    fetched: ['| feed | source |', '|---|---|', ...fetched],
    feeds: ['| feed | publication | datasets |', '|---|---|---|', ...feeds],
    metrics: [
      '| metric | kind | labels | meaning |',
      '|---|---|---|---|',
      ...(Object.entries(FAMILIES) as [string, Family][]).map(metricLine),
    ],
    guides: CHAPTERS.flatMap(({ title, guides }) => ['', `## ${title.en}`, '', ...guides.map(guideLine)]).slice(1),
    modules: ['| module | purpose | libraries |', '|---|---|---|', ...MODULES.map(moduleLine)],
  }
}

const OTHER_TABLES =
  'These tables are in none of the lists: tables on the websites of the exchanges, and tables of other authorities. Each has its address, in most cases without the query. If the address is unknown, the name of the table replaces it.'

const functionsLine = ([initial, names]: readonly [string, readonly string[]]): string =>
  `| ${initial} | ${names.map(name => `\`${name}\``).join(', ')} |`

const KINDS = ['served', 'preview', 'computed by a query', 'not built'] as const

const withoutPart = (without: string | undefined): string => (without === undefined ? '' : `, without ${without}`)

interface RegisterStatus {
  readonly kind: (typeof KINDS)[number]
  readonly text: string
}

/** @param statuses status of each dataset, by slug */
function registerStatus({ covered }: OfficialTable, statuses: ReadonlyMap<string, string>): RegisterStatus {
  if ('dataset' in covered) {
    const kind = statuses.get(covered.dataset) === 'preview' ? 'preview' : 'served'
    return { kind, text: `${kind}: \`${covered.dataset}\`${withoutPart(covered.without)}` }
  }
  if ('computedFrom' in covered) {
    const from = covered.computedFrom.map(slug => `\`${slug}\``).join(' and ')
    return { kind: 'computed by a query', text: `computed by a query from ${from}${withoutPart(covered.without)}` }
  }
  return { kind: 'not built', text: `not built: ${covered.notBuilt}` }
}

function registerTotals(register: readonly (OfficialTable & { readonly status: RegisterStatus })[]): readonly string[] {
  const count = (source: string, kind: string): number =>
    register.filter(table => table.source === source && table.status.kind === kind).length
  const names = SOURCES.map(({ name }) => name)
  return [
    `| status | ${names.join(' | ')} |`,
    `|---|${names.map(() => '---|').join('')}`,
    ...KINDS.map(kind => `| ${kind} | ${names.map(name => count(name, kind)).join(' | ')} |`),
  ]
}

const budgetLine = (plan: PlanId): string => `| ${PLANS[plan].name} | ${SQL_BUDGETS[plan].seconds} s | ${SQL_BUDGETS[plan].memoryMb} MB |`

const guideLine = ({ file, says }: Guide): string => {
  const [, title] = /^# (.+)$/m.exec(textOf(file))!
  return `- [${title}](${relative('docs', file)}): ${says.en}`
}

/**
 * Describes one way to fetch: the period of a body, the first available day, the host, and whether
 * the host requires consent.
 */
function wayText({ period, since, keeps, requests }: Fetch): string {
  const [{ url }] = requests
  const from = since === undefined ? '' : ` since ${since}`
  const last = typeof keeps === 'number' ? `, the last ${keeps} days` : ''
  return `${period === 'latest' ? 'newest' : `by ${period}`}${from}${last}: ${new URL(url).host}, ${sourceOf(url).open ? 'open data' : 'with consent'}`
}

const metricLine = ([name, { kind, labels, help }]: readonly [string, Family]): string =>
  `| \`${name}\` | ${kind} | ${labels.map(label => `\`${label}\``).join(', ')} | ${help} |`

/** Purposes of modules without an entry point. */
const WITHOUT_ENTRY_POINT: Readonly<Record<string, string>> = {
  'catalog/datasets': 'One file per dataset.',
  portal: 'Pages for browsers. They use the HTTP API only.',
  'src/main.ts': 'Connects the modules of a service.',
  'src/cli': 'The `twmd` command, one file per command.',
}

/** A row of the table of modules. The purpose is the first comment of the entry point. */
function moduleLine(module: string): string {
  const comment = /\/\*\*[\s*]*([\s\S]*?)\s*\*\//
  const purpose = WITHOUT_ENTRY_POINT[module] ?? comment.exec(readFileSync(`${module}/index.ts`, 'utf8'))?.[1] ?? ''
  const owned = Object.entries(LIBRARIES).filter(([, modules]) => modules.includes(module))
  return `| \`${module}\` | ${purpose.replace(/\s*\n\s*\*\s*/g, ' ')} | ${owned.map(([name]) => `\`${name}\``).join(', ')} |`
}

/** A document with its tables regenerated. */
export function withTables(text: string, made: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(made).reduce(
    (whole, [name, lines]) =>
      whole.replace(
        new RegExp(`<!-- ${name} -->[\\s\\S]*?<!-- /${name} -->`),
        () => `<!-- ${name} -->\n\n${lines.join('\n')}\n\n<!-- /${name} -->`,
      ),
    text,
  )
}

// Only if this file is the program. `npm run` starts it through `src/run.mjs`, which imports it.
if (process.argv[1] === import.meta.filename) {
  const made = await tables()
  for (const document of DOCUMENTS) writeFileSync(document, withTables(textOf(document), made))
}
