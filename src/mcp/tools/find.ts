import { z } from 'zod'
import { FOUND_TYPES, SEARCH } from '../../../catalog/index.ts'
import { createSearch, type SearchDeps } from '../../operations/index.ts'
import { readCursor, textOrNull, wholeNumber, writeCursor } from '../cursors.ts'
import { takeFitting } from '../tokens.ts'
import { Cost, costOf, inCredits, requireCaller, type Tool, tool } from '../tool.ts'

const Hit = z.object({
  type: z.enum(FOUND_TYPES),
  id: z.string().meta({ description: 'Value for filters and get_fields: a ticker, a code, or the slug of a dataset.' }),
  title: z.string(),
  subtitle: z.string().nullable().meta({ description: 'Further description, for example type and industry. Null if none.' }),
  market: z.string().nullable().meta({ description: 'TWSE, TPEX or null.' }),
  datasets: z.array(z.string()).meta({ description: 'Slugs of datasets with rows of the hit, as accepted by the other tools.' }),
  query_field: z.string().nullable().meta({
    description: 'For a hit of type field, its name in get_fields. Null for other hits, or if get_fields does not have the field.',
  }),
})

const Output = z.object({
  total: z.int().meta({ description: 'Total number of hits.' }),
  returned: z.int(),
  next_cursor: z.string().nullable(),
  hits: z.array(Hit).meta({ description: 'Best match first.' }),
  by_type: z.record(z.string(), z.int()).meta({ description: 'Number of hits per type.' }),
  warnings: z.array(z.string()),
  hint: z.string().optional(),
  ...Cost.shape,
})

export function findTool(deps: SearchDeps, isFree: boolean): Tool {
  const search = createSearch(deps)
  const slugs = new Map([...deps.catalog.values()].map(({ id, slug }) => [id, slug] as const))
  return tool(
    {
      name: 'find',
      title: 'Find securities, datasets and fields',
      description: `Finds securities (by ticker, Chinese name or English short name), indices, industries, themes, brokers, branches, datasets and fields, in English or Chinese. Also matches prefixes of codes and names. Call this tool first. Price: ${isFree ? 'none' : inCredits(SEARCH.access.credits)}.`,
      input: z.strictObject({
        query: z
          .string()
          .trim()
          .min(1)
          .max(200)
          .meta({ description: 'Search text, for example 2330, 台積電, TSMC, yield curve, 三大法人.' }),
        type: z
          .enum(['all', ...FOUND_TYPES])
          .default('all')
          .meta({ description: 'Type of hits to return.' }),
        limit: z.int().min(1).max(50).default(10),
        cursor: z
          .string()
          .max(1_000)
          .optional()
          .meta({ description: 'Cursor: next_cursor of the previous page. Send the same query and type.' }),
      }),
      output: Output,
    },
    async ({ query: q, type, limit, cursor }, call) => {
      const cursorArgs = { tool: 'find', q, type }
      const [position = 0, tag] = cursor === undefined ? [] : readCursor(cursor, cursorArgs)
      const offset = wholeNumber(position)
      const index = tag === undefined ? undefined : (textOrNull(tag) ?? undefined)
      const { body, meta } = await search(requireCaller(call), { q, type, limit, offset, index }, call)
      const { data, total, facets, warnings, hint } = body!
      const hits = data.map(({ type, id, title, subtitle, market, datasets, query_field }) => ({
        type,
        id,
        title,
        subtitle,
        market,
        datasets: datasets.map(id => slugs.get(id) ?? id),
        query_field,
      }))
      const rest = { total, by_type: facets, warnings: [...warnings], ...(hint !== undefined && { hint }), ...costOf(call, meta.charge) }
      const fittingHits = takeFitting(hits, rest)
      const end = offset + fittingHits.length
      return {
        ...rest,
        returned: fittingHits.length,
        next_cursor: end < total && fittingHits.length > 0 ? writeCursor([end, meta.index], cursorArgs) : null,
        hits: [...fittingHits],
      }
    },
  )
}
