import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { CatalogDataset } from '../../clients/typescript/src/index.ts'
import { titleOf, useCatalog, useSchema } from '../api/catalog.ts'
import type { Rows } from '../api/client.ts'
import { addressOfRead, PAGE_ROWS, pathOfRead, type Read, type Reading, useReads } from '../api/reads.ts'
import '../style/panel.css'
import { fetchDrawing } from './chart.tsx'
import { CodeSamples } from './code-samples.tsx'
import { Facts, SampleBadge, SYNTHETIC } from './facts.tsx'
import { emptyWords } from './labels.ts'
import { say, type Words } from './language.ts'
import { RefusedRead } from './refused-read.tsx'
import { RowsTable } from './rows-table.tsx'
import { useSeen } from './seen.ts'
import { TabPanel, Tabs } from './tabs.tsx'

export interface PanelProps {
  /** Names the panel in the address, too: `#prices`. */
  readonly id: string
  readonly title: Words
  /** A sentence on what is shown and in which unit. */
  readonly about?: Words | undefined
  /** What it is drawn from, the one it is about first. */
  readonly reads: readonly Read[]
  /** What it is drawn against, which has a panel of its own: source, cost and table are told there. */
  readonly beside?: readonly Read[]
  /** What having no rows means here, beside the reason the answer gives. */
  readonly none?: Words | undefined
  /** Switches of its own, beside the tabs. */
  readonly options?: ComponentChildren
  readonly isWide?: boolean
  /** The chart: given the rows of each read, those beside last, as they came, none where it was refused. Not asked while none of them has rows. */
  readonly children: (answers: readonly Rows[]) => ComponentChildren
}

const TABS = [
  { id: 'chart', label: say({ en: 'Chart', zh: '圖表' }) },
  { id: 'table', label: say({ en: 'Table', zh: '表格' }) },
  { id: 'query', label: say({ en: 'Query', zh: '查詢' }) },
] as const

type View = (typeof TABS)[number]['id']

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
 * Something drawn from datasets: as a chart, as the table behind it, and as the queries behind that. It reads when it comes into sight, and
 * says source, release, freshness and gaps of what it shows; why there are no rows; what to do where it is refused.
 */
export function Panel({ id, title, about, reads, beside = NOTHING, none, options, isWide = false, children }: PanelProps) {
  const section = useRef<HTMLElement>(null)
  const seen = useSeen(section)
  useEffect(() => {
    if (seen.value) void fetchDrawing()
  }, [seen.value])
  const [view, turn] = [useSignal<View>('chart'), useSignal(0)]
  const all = useReads(seen.value ? [...reads, ...beside] : null, turn.value).value
  const reading = { ...all, reads: all.reads.slice(0, reads.length), answers: all.answers.slice(0, reads.length) }
  const catalog = useCatalog()
  const datasetOf = ({ slug }: Pick<Read, 'slug'>) => catalog.value.value?.find(dataset => dataset.slug === slug)
  const isSynthetic = reading.answers.some(answer => answer.ok && answer.rows.warnings.includes(SYNTHETIC))
  const retry = () => {
    turn.value += 1
  }
  return (
    <section class={isWide ? 'panel wide' : 'panel'} id={id} ref={section} aria-labelledby={`${id}-title`}>
      <div class="panel-head">
        <h2 id={`${id}-title`}>{say(title)}</h2>
        {isSynthetic && <SampleBadge />}
        <Tabs
          id={id}
          label={say({ en: `${title.en}: show as`, zh: `${title.zh}：顯示方式` })}
          tabs={TABS}
          chosen={view.value}
          onChoose={next => {
            view.value = next
          }}
        />
      </div>
      {about && <p class="dim">{say(about)}</p>}
      {options}
      <TabPanel id={id} chosen={view.value} isBusy={reading.state !== 'done'}>
        {reading.state !== 'done' && reading.answers.length === 0 && view.value !== 'query' ? (
          <p class="dim">{say({ en: 'Loading …', zh: '載入中…' })}</p>
        ) : view.value === 'chart' ? (
          <Shown reading={reading} beside={all.answers.slice(reads.length)} none={none} datasetOf={datasetOf} onRetry={retry}>
            {children}
          </Shown>
        ) : view.value === 'table' ? (
          reading.reads.map((read, at) => (
            <ReadTable
              key={addressOfRead(read)}
              read={read}
              dataset={datasetOf(read)}
              answer={reading.answers[at]!}
              none={none}
              onRetry={retry}
            />
          ))
        ) : (
          reads.map(read => <ReadQuery key={addressOfRead(read)} read={read} dataset={datasetOf(read)} />)
        )}
      </TabPanel>
      {factsOf(reading).map(({ slug, rows }) => (
        <Facts key={slug} rows={rows} dataset={datasetOf({ slug })} />
      ))}
    </section>
  )
}

/** What is said behind the rows, once a dataset: several reads of one are told together. */
function factsOf({ reads, answers }: Reading): readonly { readonly slug: string; readonly rows: Rows }[] {
  const told = new Map<string, Rows>()
  for (const [at, answer] of answers.entries()) {
    if (!answer.ok) continue
    const { slug } = reads[at]!
    const before = told.get(slug)
    const { rows } = answer
    const charged = before && before.charged !== null && rows.charged !== null ? before.charged + rows.charged : rows.charged
    told.set(slug, before ? { ...before, charged, rows: [...before.rows, ...rows.rows], next: before.next ?? rows.next } : rows)
  }
  return [...told].map(([slug, rows]) => ({ slug, rows }))
}

interface ShownProps {
  readonly beside: Reading['answers']
  readonly reading: Reading
  readonly none: Words | undefined
  readonly datasetOf: (read: Pick<Read, 'slug'>) => CatalogDataset | undefined
  readonly onRetry: () => void
  readonly children: (answers: readonly Rows[]) => ComponentChildren
}

/** The chart of what came, and a word on each read that was refused or has no rows. */
function Shown({ reading: { reads, answers }, beside, none, datasetOf, onRetry, children }: ShownProps) {
  const [rows, more] = [answers, beside].map(some => some.map(answer => (answer.ok ? answer.rows : NO_ROWS))) as [Rows[], Rows[]]
  const refusals = answers
    .flatMap((answer, at) => (answer.ok ? [] : [{ refused: answer.refused, plan: datasetOf(reads[at]!)?.minimum_plan }]))
    .filter(({ refused }, at, all) => all.findIndex(other => other.refused.code === refused.code) === at)
  const name = (at: number) => {
    const dataset = datasetOf(reads[at]!)
    return dataset ? titleOf(dataset) : reads[at]!.slug
  }
  return (
    <>
      {refusals.map(({ refused, plan }) => (
        <RefusedRead key={refused.code} refused={refused} plan={plan} onRetry={onRetry} />
      ))}
      {rows.some(one => one.rows.length > 0) && children([...rows, ...more])}
      {answers.map((answer, at) =>
        answer.ok && answer.rows.rows.length === 0 ? (
          <Empty
            key={name(at)}
            what={answers.length > 1 ? name(at) : null}
            reason={answer.rows.emptyReason}
            none={at === 0 ? none : undefined}
          />
        ) : null,
      )}
    </>
  )
}

/** Why there are no rows. @param what the dataset, where a panel has several */
function Empty({ what, reason, none }: { readonly what: string | null; readonly reason: string | null; readonly none: Words | undefined }) {
  return (
    <p class="notice" data-empty={reason}>
      <strong>
        {what === null ? say({ en: 'No rows.', zh: '沒有資料列。' }) : say({ en: `${what}: no rows.`, zh: `${what}：沒有資料列。` })}
      </strong>{' '}
      {say(emptyWords(reason))} {none && say(none)}
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

/** The rows of a read as a table, its columns as the dataset's schema describes them. */
function ReadTable({ read, dataset, answer, none, onRetry }: ReadTableProps) {
  const schema = useSchema(read.slug).value
  const title = dataset ? titleOf(dataset) : read.slug
  if (!answer.ok) return <RefusedRead refused={answer.refused} plan={dataset?.minimum_plan} onRetry={onRetry} />
  if (answer.rows.rows.length === 0) return <Empty what={title} reason={answer.rows.emptyReason} none={none} />
  if (!schema.value) return <p class="dim">{say({ en: 'Loading …', zh: '載入中…' })}</p>
  const columns = schema.value.columns.filter(({ name }) => name in answer.rows.rows[0]!)
  return (
    <>
      <h3>{title}</h3>
      <RowsTable columns={columns} rows={answer.rows.rows} label={title} />
    </>
  )
}

/** A read as code, to be taken elsewhere. */
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
