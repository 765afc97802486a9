import { titleOf, useCatalog, useSchema } from '../../api/catalog.ts'
import type { Row } from '../../api/row.ts'
import { Panel } from '../../parts/panel.tsx'
import { RefusedRead } from '../../parts/refused-read.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useUrlState } from '../../parts/url-state.ts'
import { firstAxes } from '../explore/axes.ts'
import { ColumnChart } from '../explore/column-chart.tsx'
import { completed, dayColumn, pathOf, type Question, queryOf, questionIn } from '../explore/question.ts'

const MOST = 250

/**
 * Shows the rows of a dataset's example query as a chart and a table. If the example key has no
 * rows, shows the rows of the last day. The address contains the axes of the chart.
 */
export function FirstRows({ slug }: { readonly slug: string }) {
  const [catalog, schema] = [useCatalog().value, useSchema(slug).value]
  const chosen = useUrlState('chart', '')
  const dataset = catalog.value?.find(one => one.slug === slug)
  const refused = catalog.refused ?? schema.refused
  if (refused) return <RefusedRead refused={refused} plan={undefined} onRetry={() => location.reload()} />
  if (!dataset || !schema.value)
    return (
      <div class="first-rows">
        <Skeleton />
      </div>
    )
  const described = { dataset, schema: schema.value }
  const question = completed(questionIn(''), described)
  const lastDay = completed(questionIn('?rows=day'), described)
  const readOf = (query: Question) => ({ slug, path: pathOf(described, query), query: { ...queryOf(query), limit: MOST } })
  const { columns } = schema.value
  const [x, y] = chosen.value.split(',')
  const axesOf = (isDay: boolean) => (x && y ? { x, y } : firstAxes(columns, isDay))
  const isTable = axesOf(false) === null
  return (
    <Panel
      id="rows"
      isWide
      height={420}
      title={{ en: `First rows: ${titleOf(dataset)}`, zh: `資料預覽：${titleOf(dataset)}` }}
      reads={[readOf(question)]}
      ifEmpty={lastDay.isDay ? [readOf(lastDay)] : undefined}
      isTable={isTable}
    >
      {([rows], picture) => {
        const axes = axesOf(areOfOneDay(rows!.rows, dayColumn(dataset)))
        return (
          axes && (
            <ColumnChart
              columns={columns}
              rows={rows!.rows}
              axes={axes}
              onDrawn={picture}
              onChoose={next => {
                chosen.value = `${next.x},${next.y}`
              }}
            />
          )
        )
      }}
    </Panel>
  )
}

/** True if there are several rows, all of the same day. A chart of these rows has no time axis. */
const areOfOneDay = (rows: readonly Row[], day: string | undefined): boolean =>
  day !== undefined && rows.length > 1 && rows.every(row => row[day] === rows[0]![day])
