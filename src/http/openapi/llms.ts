import { asOfWords, type Catalog, crossSection, type Dataset, pathOf, served } from '../../../catalog/index.ts'
import { REFUSAL_CODES, Refusal } from '../../core/index.ts'
import { DEFAULT_LIMIT } from '../../read/index.ts'
import { MINOR_UNITS } from '../kernel/index.ts'
import { type Documented, type OpenApi, type Operation, operationsOf, referencePath } from './document.ts'
import { GROUPS } from './vocabulary.ts'

const TITLE = `# twmd: Taiwan market data

> Read API over historical Taiwan market data: institutional trades, yield curve, earnings, securities firms and branches, classifications, risk events. JSON over HTTP, an API key in X-API-Key, credits charged per successful read.

Dates are Taipei days (YYYY-MM-DD), timestamps have the offset +08:00, missing values are null. Quantities in datasets are shares and New Taiwan dollars (TWD), unless the unit of a column states otherwise (TWD thousand, TWD per share). Prices and bills of this service (amount, base_amount, subtotal, total) are ${MINOR_UNITS}. Every dataset lists its known gaps. Nothing is investment advice. A read without rows states the reason in empty_reason and in the X-Empty-Reason header. An error has error_code, and a message with the cause and the next step. Agents that support the Model Context Protocol should use the tools at POST /mcp: they return the same rows in shorter responses.
`

function firstRequest(api: OpenApi, origin: string): string {
  const read = operationsOf(api).find(({ operation }) => operation.tags[0] === 'datasets' && operation['x-example-request']?.query)
  const query = new URLSearchParams({ ...(read?.operation['x-example-request']?.query as Record<string, string>), limit: '250' })
  return `## First request

curl -H "X-API-Key: $KEY" "${origin}${read?.path}?${query}"

A read without limit returns the newest ${DEFAULT_LIMIT} rows. If more rows match, X-Row-Limit ends with "; default; more" and warnings contains truncated. For more rows, send a larger limit, up to the maximum of the plan, and follow Link rel="next". On the last page, X-Total-Rows is the number of matching rows. With as_of=YYYY-MM-DD, a read returns what this service served at the end of that day, without later revisions.
`
}

/** Index for agents, in the format of llmstxt.org. Omits operations for the operator. */
export function llmsIndex(api: OpenApi, origin: string): string {
  const lines = operationsOf(api)
  const groups = Object.entries(GROUPS).flatMap(([group, says]) => {
    if (group === 'administration') return []
    const members = lines.filter(({ operation }) => operation.tags[0] === group)
    return `## ${group.replaceAll('_', ' ')}\n\n${says}\n\n${members.map(line => indexLine(line, origin)).join('\n')}\n`
  })
  return [
    TITLE,
    firstRequest(api, origin),
    ...groups,
    `## Optional\n\n- [Everything on one page](${origin}/llms-full.txt)\n- [OpenAPI 3.1](${origin}/openapi.json)\n- [Reference with forms](${origin}/docs)\n`,
  ].join('\n')
}

/** Full documentation for agents. */
export function llmsWhole(api: OpenApi, catalog: Catalog, origin: string): string {
  const operations = operationsOf(api).map(line => operationText(line, origin))
  const refusals = REFUSAL_CODES.map(code => `- ${new Refusal(code).status} ${code}: ${new Refusal(code).message}`)
  return [
    TITLE,
    firstRequest(api, origin),
    ...served(catalog).map(datasetText),
    '## Operations\n',
    ...operations,
    `## Refusals\n\nEvery refusal has the body {"detail": …, "error": {"error_code", "error_message", "blocking_gate", "dataset", "request_id", "docs_url", …}}.\n\n${refusals.join('\n')}\n`,
  ].join('\n')
}

function indexLine({ method, path, operation }: Documented, origin: string): string {
  const names = operation.parameters?.map(({ name, required }) => (required ? `${name} (required)` : name)) ?? []
  const takes = names.length > 0 ? `; parameters: ${names.join(', ')}` : ''
  return `- [${operation.summary}](${origin}${referencePath(operation)}): ${method} ${path}${takes}${price(operation)}`
}

function price({ 'x-credits': credits, 'x-credits-by': by, 'x-minimum-plan': plan, security }: Operation): string {
  if (by) return `; api key, priced by ${by}`
  const [credential] = Object.keys(security[0] ?? {})
  return credits === undefined ? (credential ? `; ${credential.replaceAll('_', ' ')}` : '') : `; plan ${plan}, credits ${credits}`
}

function operationText(line: Documented, origin: string): string {
  const { description, parameters = [] } = line.operation
  const takes = parameters.map(
    ({ name, in: place, required, description: says, example }) =>
      `  - ${name} (${place}${required ? ', required' : ''}): ${says}${example === undefined ? '' : ` Example: ${example}`}`,
  )
  return [indexLine(line, origin), `  ${description}`, ...takes, ''].join('\n')
}

function datasetText(dataset: Dataset): string {
  const { slug, id, title, titleZh, description, access, grain, order, columns, knownGaps, warnings, lineage } = dataset
  const section = crossSection(dataset)
  const rows = Object.entries(columns).map(
    ([name, { type, unit, nullable, zh, doc }]) =>
      `- ${name} (${type}${unit ? `, ${unit}` : ''}${nullable ? ', may be null' : ''}) ${zh}: ${doc}`,
  )
  return [
    `## ${title} ${titleZh} (${slug}, ${id})\n`,
    `${description} GET ${pathOf(dataset)}${section ? `, all keys of one day at ${section.path}` : ''}, plan ${access!.plan}, ${access!.credits} credits per read. One row per ${grain.join(', ')}; ordered by ${order.map(([name, direction]) => `${name} ${direction}`).join(', ')}. With as_of: ${asOfWords(dataset).en.replaceAll('`', '')} Source: ${lineage.attribution} (${lineage.url}).\n`,
    ...rows,
    `\nKnown gaps: ${Object.keys(knownGaps).join(', ') || 'none'}. Warnings: ${warnings.join(', ')}.\n`,
  ].join('\n')
}
