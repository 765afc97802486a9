import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { CatalogDataset } from '../../clients/typescript/src/index.ts'
import { titleOf, useCatalog, useSchema } from '../api/catalog.ts'
import type { Rows } from '../api/client.ts'
import { addressOfRead, PAGE_ROWS, pathOfRead, type Read, type Reading, useReads } from '../api/reads.ts'
import '../style/panel.css'
import { fetchDrawing } from './chart.tsx'
import type { DrawnChart } from './chart-draw.ts'
import { CodeSamples } from './code-samples.tsx'
import { csvOf } from './csv.ts'
import { Dated } from './dated.tsx'
import { Facts, SampleBadge, SYNTHETIC } from './facts.tsx'
import { emptyWords } from './labels.ts'
import { say, type Words } from './language.ts'
import { RefusedRead } from './refused-read.tsx'
import { RowsTable } from './rows-table.tsx'
import { saveAs } from './save.ts'
import { withoutRows } from './security.ts'
import { useSeen } from './seen.ts'
import { Skeleton } from './skeleton.tsx'
import { TabPanel, Tabs } from './tabs.tsx'

export interface PanelProps {
  readonly id: string
  readonly title: Words
  /** A sentence about the content and its unit. */
  readonly about?: Words | undefined
  /** Reads for the chart. The main read comes first. */
  readonly reads: readonly Read[]
  /** More reads for the chart. Another panel shows their source, cost and table. */
  readonly context?: readonly Read[]
  /** First requested day. The panel states the first day of the rows if it is much later. */
  readonly since?: string | undefined
  /** Replaces `reads` if the caller's plan does not include them. */
  readonly instead?: readonly Read[] | undefined
  /** Replaces `reads` if they have no rows. */
  readonly ifEmpty?: readonly Read[] | undefined
  /** Replaces `context` if the caller's plan does not include it. */
  readonly contextInstead?: readonly Read[] | undefined
  /**
   * Dataset that usually has no rows for a security. The panel does not report its missing rows.
   */
  readonly optional?: string
  /** What missing rows mean in this panel. */
  readonly none?: Words | undefined
  readonly options?: ComponentChildren
  readonly isWide?: boolean
  /** False if the panel needs no drawing code. Default: true, unless `isTable` is set. */
  readonly hasChart?: boolean
  /** True if the panel has no chart tab. It then shows the table first. Default: false. */
  readonly isTable?: boolean
  /** Height in pixels that is reserved while loading. Default: 430. */
  readonly height?: number
  /**
   * Renders the rows of each read, in order. A refused read has no rows. Not called before any read
   * has rows.
   * `onDrawn` receives the drawn chart, which the panel then offers as a picture.
   */
  readonly children: (answers: readonly Rows[], onDrawn: (chart: DrawnChart) => void) => ComponentChildren
}

type View = 'chart' | 'table' | 'query'

const tabsOf = (chart: string): readonly { readonly id: View; readonly label: string }[] => [
  { id: 'chart', label: chart },
  { id: 'table', label: say({ en: 'Table', zh: '表格' }) },
  { id: 'query', label: say({ en: 'Query', zh: '查詢' }) },
]

const CHART_TABS = tabsOf(say({ en: 'Chart', zh: '圖表' }))
/** Tabs of a panel whose first view is not a chart, for example a ranking. */
const OTHER_TABS = tabsOf(say({ en: 'Overview', zh: '總覽' }))

const NOTHING: readonly Read[] = []

const NO_ROWS: Rows = {
  rows: [],
  release: null,
  dataAsOf: null,
  warnings: [],
  knownGaps: [],
  emptyReason: null,
  charged: null,
  next: null,
}

/**
 * Shows datasets as a chart, as a table, and as queries. Loads the rows when the panel becomes
 * visible.
 */
export function Panel(props: PanelProps) {
  const {
    id,
    title,
    about,
    reads,
    context = NOTHING,
    since,
    optional,
    none,
    options,
    isWide = false,
    isTable = false,
    hasChart = !isTable,
    height = 430,
    children,
  } = props
  const [section, drawn] = [useRef<HTMLElement>(null), useRef<DrawnChart | null>(null)]
  const seen = useSeen(section)
  const isKnownEmpty = reads.length > 0 && reads.every(isWithoutRows)
  useEffect(() => {
    if (seen.value && hasChart && !isKnownEmpty) void fetchDrawing()
  }, [seen.value])
  const [view, turn, hasPicture] = [useSignal<View>(isTable ? 'table' : 'chart'), useSignal(0), useSignal(false)]
  const { reading, contextAnswers } = useReadings(props, seen.value, turn.value)
  const catalog = useCatalog()
  const datasetOf = ({ slug }: Pick<Read, 'slug'>) => catalog.value.value?.find(dataset => dataset.slug === slug)
  const isSynthetic = reading.answers.some(answer => answer.ok && answer.rows.warnings.includes(SYNTHETIC))
  const retry = () => {
    turn.value += 1
  }
  const isLoading = reading.answers.length === 0
  // Without rows, the panel is only as high as its message.
  const isEmpty = reading.state === 'done' && !isLoading ? hasNoRows(reading) || reading.answers.every(needsPlan) : isKnownEmpty
  return (
    <section class={`panel${isWide ? ' wide' : ''}${isEmpty ? ' empty' : ''}`} id={id} ref={section} aria-labelledby={`${id}-title`}>
      <div class="panel-head">
        <h2 id={`${id}-title`}>{say(title)}</h2>
        <Tabs
          id={id}
          label={say({ en: `${title.en}: show as`, zh: `${title.zh}：顯示方式` })}
          tabs={isTable ? CHART_TABS.filter(({ id }) => id !== 'chart') : hasChart ? CHART_TABS : OTHER_TABS}
          chosen={view.value}
          onChoose={next => {
            view.value = next
          }}
        />
      </div>
      {about && (
        <p class="dim">
          <Dated text={say(about)} /> {since !== undefined && startText(reading, since)}
        </p>
      )}
      {options}
      <TabPanel id={id} chosen={view.value} isBusy={reading.state !== 'done'} height={isEmpty || (isTable && !isLoading) ? 0 : height}>
        {isLoading && view.value !== 'query' ? (
          <Skeleton />
        ) : view.value === 'chart' ? (
          <Shown
            reading={reading}
            context={contextAnswers}
            contextCount={context.length}
            optional={optional}
            none={none}
            datasetOf={datasetOf}
            onRetry={retry}
            onDrawn={chart => {
              drawn.current = chart
              hasPicture.value = true
            }}
          >
            {children}
          </Shown>
        ) : view.value === 'table' ? (
          reading.reads.map((read, index) => (
            <ReadTable
              key={addressOfRead(read)}
              read={read}
              dataset={datasetOf(read)}
              answer={reading.answers[index]!}
              none={none}
              onRetry={retry}
            />
          ))
        ) : (
          (reading.reads.length > 0 ? reading.reads : reads).map(read => (
            <ReadQuery key={addressOfRead(read)} read={read} dataset={datasetOf(read)} />
          ))
        )}
      </TabPanel>
      <div class="panel-foot">
        {factsOf(reading).map(({ slug, rows }) => (
          <Facts key={slug} rows={rows} dataset={datasetOf({ slug })} />
        ))}
        {isSynthetic && <SampleBadge />}
        {reading.state === 'done' && !isEmpty && (
          <Save
            id={id}
            title={title}
            reading={reading}
            picture={hasPicture.value && view.value === 'chart' ? () => drawn.current?.picture() : null}
          />
        )}
      </div>
    </section>
  )
}

/** Days without rows at the start of a period that need no note: holidays, or part of a month. */
const SLACK_DAYS = 45

/** States the first day of the rows. Empty if the rows cover the requested period. */
function startText({ reads, answers }: Reading, since: string): string {
  const days = answers.flatMap((answer, index) => {
    const [date] = String(reads[index]!.query['columns']).split(',')
    const day = answer.ok ? answer.rows.rows.at(-1)?.[date!] : null
    return typeof day === 'string' ? [day] : []
  })
  const first = days.sort()[0]
  const isLate = first !== undefined && Date.parse(first) - Date.parse(since) > SLACK_DAYS * 86_400_000
  return isLate ? say({ en: `Data from ${first}.`, zh: `資料自 ${first} 起。` }) : ''
}

/** True if the server has stated that the dataset has no rows of the page's security. */
const isWithoutRows = ({ slug, query }: Read): boolean => typeof query['symbol'] === 'string' && withoutRows.has(slug)

/** True if the caller's plan does not include a read. */
const needsPlan = (answer: Reading['answers'][number] | undefined): boolean =>
  answer !== undefined && !answer.ok && answer.refused.code === 'plan_required'

const isEmptyAnswer = (answer: Reading['answers'][number]): boolean => answer.ok && answer.rows.rows.length === 0

/** Returns true if no read has rows. False while the rows are loading, and after a refusal. */
const hasNoRows = ({ state, answers }: Reading): boolean => state === 'done' && answers.length > 0 && answers.every(isEmptyAnswer)

/** Loads the reads of a panel, or their replacements. */
function useReadings({ reads, context = NOTHING, instead, ifEmpty, contextInstead }: PanelProps, isSeen: boolean, turn: number) {
  const own = useReads(isSeen ? reads : null, turn).value
  const around = useReads(isSeen && context.length > 0 ? context : null, turn).value
  const replacement = own.answers.some(needsPlan) ? instead : hasNoRows(own) ? ifEmpty : undefined
  const ownInstead = useReads(replacement ?? null, turn).value
  const aroundInstead = useReads(contextInstead && around.answers.some(needsPlan) ? contextInstead : null, turn).value
  const contextAnswers = around.answers.some(needsPlan) && aroundInstead.state === 'done' ? aroundInstead.answers : around.answers
  return { reading: replacement ? ownInstead : own, contextAnswers }
}

interface SaveProps extends Pick<PanelProps, 'id' | 'title'> {
  readonly reading: Reading
  readonly picture: (() => HTMLCanvasElement | undefined) | null
}

function Save({ id, title, reading, picture }: SaveProps) {
  const csv = () => {
    for (const [index, answer] of reading.answers.entries())
      if (answer.ok && answer.rows.rows.length > 0) saveAs(`${reading.reads[index]!.slug}-${id}.csv`, [csvOf(answer.rows.rows)], 'text/csv')
  }
  const png = () =>
    picture?.()?.toBlob(blob => {
      if (blob) saveAs(`${id}.png`, [blob], 'image/png')
    })
  return (
    <p class="save">
      <button type="button" onClick={csv} aria-label={say({ en: `Save as CSV: ${title.en}`, zh: `存為 CSV：${title.zh}` })}>
        CSV
      </button>{' '}
      {picture && (
        <button type="button" onClick={png} aria-label={say({ en: `Save as PNG: ${title.en}`, zh: `存為 PNG：${title.zh}` })}>
          PNG
        </button>
      )}
    </p>
  )
}

/** Returns the metadata of each dataset. */
function factsOf({ reads, answers }: Reading): readonly { readonly slug: string; readonly rows: Rows }[] {
  const factsBySlug = new Map<string, Rows>()
  for (const [index, answer] of answers.entries()) {
    if (!answer.ok) continue
    const { slug } = reads[index]!
    const before = factsBySlug.get(slug)
    const { rows } = answer
    const charged = before && before.charged !== null && rows.charged !== null ? before.charged + rows.charged : rows.charged
    factsBySlug.set(slug, before ? { ...before, charged, rows: [...before.rows, ...rows.rows], next: before.next ?? rows.next } : rows)
  }
  return [...factsBySlug].map(([slug, rows]) => ({ slug, rows }))
}

interface ShownProps {
  readonly context: Reading['answers']
  /** Number of reads in `context`. */
  readonly contextCount: number
  readonly optional: string | undefined
  readonly onDrawn: (chart: DrawnChart) => void
  readonly reading: Reading
  readonly none: Words | undefined
  readonly datasetOf: (read: Pick<Read, 'slug'>) => CatalogDataset | undefined
  readonly onRetry: () => void
  readonly children: PanelProps['children']
}

/** Shows the chart, and a note for each read without rows. */
function Shown({ reading: { reads, answers }, context, contextCount, optional, none, datasetOf, onRetry, onDrawn, children }: ShownProps) {
  const rowsIn = (answer: Reading['answers'][number] | undefined): Rows => (answer?.ok ? answer.rows : NO_ROWS)
  const rows = answers.map(rowsIn)
  const more = Array.from({ length: contextCount }, (_, index) => rowsIn(context[index]))
  const refusals = answers
    .flatMap((answer, at) => (answer.ok ? [] : [{ refused: answer.refused, plan: datasetOf(reads[at]!)?.minimum_plan }]))
    .filter(({ refused }, at, all) => all.findIndex(other => other.refused.code === refused.code) === at)
  const name = (index: number) => {
    const dataset = datasetOf(reads[index]!)
    return dataset ? titleOf(dataset) : reads[index]!.slug
  }
  // Two reads of a dataset without rows are reported once.
  const isReported = (index: number) =>
    isEmptyAnswer(answers[index]!) &&
    (index === 0 || reads[index]!.slug !== optional) &&
    !answers.some((answer, at) => at < index && isEmptyAnswer(answer) && reads[at]!.slug === reads[index]!.slug)
  return (
    <>
      {refusals.map(({ refused, plan }) => (
        <RefusedRead key={refused.code} refused={refused} plan={plan} onRetry={onRetry} />
      ))}
      {rows.some(one => one.rows.length > 0) && children([...rows, ...more], onDrawn)}
      {answers.map((_, index) =>
        isReported(index) ? (
          <Empty
            key={name(index)}
            what={answers.length > 1 ? name(index) : null}
            reason={rows[index]!.emptyReason}
            none={index === 0 ? none : undefined}
          />
        ) : null,
      )}
    </>
  )
}

function Empty({ what, reason, none }: { readonly what: string | null; readonly reason: string | null; readonly none: Words | undefined }) {
  return (
    <p class="notice" data-empty={reason}>
      <strong>
        {what === null ? say({ en: 'No rows.', zh: '查無資料。' }) : say({ en: `${what}: no rows.`, zh: `${what}：查無資料。` })}
      </strong>
      {[reason === null || reason === 'no_match' ? undefined : emptyWords(reason), none].flatMap(words =>
        words ? [say({ en: ` ${words.en}`, zh: words.zh })] : [],
      )}
    </p>
  )
}

interface ReadTableProps {
  readonly read: Read
  readonly dataset: CatalogDataset | undefined
  readonly answer: Reading['answers'][number]
  readonly none: Words | undefined
  readonly onRetry: () => void
}

/** Shows the rows of a read as a table. */
function ReadTable({ read, dataset, answer, none, onRetry }: ReadTableProps) {
  const schema = useSchema(read.slug).value
  const title = dataset ? titleOf(dataset) : read.slug
  if (!answer.ok) return <RefusedRead refused={answer.refused} plan={dataset?.minimum_plan} onRetry={onRetry} />
  if (answer.rows.rows.length === 0) return <Empty what={title} reason={answer.rows.emptyReason} none={none} />
  if (!schema.value) return <Skeleton />
  const columns = schema.value.columns.filter(({ name }) => name in answer.rows.rows[0]!)
  return (
    <>
      <h3>{title}</h3>
      <RowsTable columns={columns} rows={answer.rows.rows} label={title} />
    </>
  )
}

function ReadQuery({ read, dataset }: { readonly read: Read; readonly dataset: CatalogDataset | undefined }) {
  const schema = useSchema(read.slug).value
  const wanted = typeof read.query['columns'] === 'string' ? read.query['columns'].split(',') : null
  const columns = (schema.value?.columns ?? []).filter(({ name }) => wanted?.includes(name) ?? true)
  return (
    <>
      <h3>{dataset ? titleOf(dataset) : read.slug}</h3>
      <CodeSamples read={{ path: pathOfRead(read), query: { ...read.query, limit: read.query['limit'] ?? PAGE_ROWS }, columns }} />
    </>
  )
}
