import { useEffect, useRef } from 'preact/hooks'
import type { CatalogDataset, DatasetSchema } from '../../../clients/typescript/src/index.ts'
import { ask } from '../../api/client.ts'
import { say } from '../../parts/language.ts'
import type { CodeField } from './code-mirror.ts'

interface EditorProps {
  readonly text: string
  readonly datasets: readonly CatalogDataset[]
  readonly onChange: (text: string) => void
  readonly onRun: () => void
}

/** Loaded columns, keyed by table. */
const columns = new Map<string, readonly string[]>()

export const tableOf = ({ slug }: Pick<CatalogDataset, 'slug'>): string => slug.replaceAll('-', '_')

/** Editor that completes tables and columns. A plain text field until the code is loaded. */
export function Editor({ text, datasets, onChange, onRun }: EditorProps) {
  const [place, field] = [useRef<HTMLDivElement>(null), useRef<CodeField | null>(null)]
  const latest = useRef({ text, onChange, onRun })
  latest.current = { text, onChange, onRun }
  useEffect(() => {
    let isRemoved = false
    const open = async () => {
      const { createCodeField } = await import('./code-mirror.ts')
      if (isRemoved || !place.current) return
      // The shadow root hides the plain text field.
      field.current = createCodeField(place.current.attachShadow({ mode: 'open' }), {
        text: latest.current.text,
        label: LABEL,
        onChange: next => latest.current.onChange(next),
        onRun: () => latest.current.onRun(),
      })
      offer(field.current, datasets)
    }
    void open()
    return () => {
      isRemoved = true
      field.current?.remove()
      field.current = null
    }
  }, [])
  useEffect(() => field.current?.setText(text), [text])
  useEffect(() => {
    const named = datasets.filter(dataset => !columns.has(tableOf(dataset)) && new RegExp(`\\b${tableOf(dataset)}\\b`, 'i').test(text))
    if (named.length > 0) void Promise.all(named.map(fetchColumns)).then(() => field.current && offer(field.current, datasets))
    else if (field.current) offer(field.current, datasets)
  }, [text, datasets])
  return (
    <div class="sql-editor" ref={place}>
      <textarea rows={10} value={text} aria-label={LABEL} onInput={event => onChange(event.currentTarget.value)} />
    </div>
  )
}

const LABEL = say({ en: 'SQL query', zh: 'SQL 查詢' })

async function fetchColumns(dataset: CatalogDataset): Promise<void> {
  const answer = await ask<DatasetSchema>({ path: `/v2/datasets/${dataset.slug}/schema`, asVisitor: true })
  if (answer.ok)
    columns.set(
      tableOf(dataset),
      answer.body.columns.map(({ name }) => name),
    )
}

function offer(field: CodeField, datasets: readonly CatalogDataset[]): void {
  field.setTables(Object.fromEntries(datasets.map(dataset => [tableOf(dataset), columns.get(tableOf(dataset)) ?? []])))
}
