import { useSignal } from '@preact/signals'
import type { WebhookWithSecret } from '../../../clients/typescript/src/index.ts'
import { titleOf, useCatalog } from '../../api/catalog.ts'
import { ask, type Refused } from '../../api/client.ts'
import { say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { WEBHOOKS_PATH } from './state.ts'

const EVENTS = [
  ['dataset.published', { en: 'new rows', zh: '新增資料' }],
  ['dataset.revised', { en: 'rows revised', zh: '資料修訂' }],
  ['dataset.withdrawn', { en: 'release withdrawn', zh: '版本撤回' }],
  ['dataset.late', { en: 'data overdue', zh: '資料逾期' }],
  ['credits.low', { en: 'low credits', zh: '點數不足' }],
  ['key.created', { en: 'new key', zh: '新金鑰' }],
] as const

/** Returns the name of an event type. Unknown types are not translated. */
export const eventName = (type: string): string => {
  const words = EVENTS.find(([name]) => name === type)?.[1]
  return words ? say(words) : type
}

const words = (text: string): readonly string[] => text.split(/[\s,，、]+/).filter(word => word !== '')

/**
 * Creates an endpoint. Without a choice of datasets or symbols, the endpoint receives all events.
 */
export function NewWebhook({ onMade }: { readonly onMade: (made: WebhookWithSecret) => void }) {
  const [url, symbols] = [useSignal(''), useSignal('')]
  const datasets = useSignal<ReadonlySet<string>>(new Set())
  const events = useSignal<ReadonlySet<string>>(new Set(EVENTS.map(([name]) => name)))
  const [refused, busy, made] = [useSignal<Refused | null>(null), useSignal(false), useSignal(0)]
  const tick = (name: string, isTicked: boolean): void => {
    events.value = new Set(EVENTS.map(([each]) => each).filter(each => (each === name ? isTicked : events.value.has(each))))
  }
  const make = async (event: Event) => {
    event.preventDefault()
    busy.value = true
    const answer = await ask<WebhookWithSecret>({
      path: WEBHOOKS_PATH,
      method: 'POST',
      body: { url: url.value.trim(), events: [...events.value], datasets: [...datasets.value], symbols: words(symbols.value) },
    })
    busy.value = false
    refused.value = answer.ok ? null : answer.refused
    if (!answer.ok) return
    for (const field of [url, symbols]) field.value = ''
    datasets.value = new Set()
    made.value += 1
    onMade(answer.body)
  }
  return (
    <form onSubmit={make}>
      <div class="row">
        <label>
          {say({ en: 'Endpoint URL', zh: '接收網址' })}
          <input
            required
            type="url"
            placeholder="https://hooks.example.com/twmd"
            value={url.value}
            onInput={event => (url.value = event.currentTarget.value)}
          />
        </label>
        <label>
          {say({ en: 'Symbols (all if empty)', zh: '代號（留空為全部）' })}
          <input placeholder="2330 2454" value={symbols.value} onInput={event => (symbols.value = event.currentTarget.value)} />
        </label>
      </div>
      {/* A new key closes the list. */}
      <Datasets
        key={made.value}
        chosen={datasets.value}
        onChoose={chosen => {
          datasets.value = chosen
        }}
      />
      <fieldset class="row">
        <legend>{say({ en: 'Events', zh: '通知事件' })}</legend>
        {EVENTS.map(([name, label]) => (
          <label key={name} class="tick">
            <input type="checkbox" checked={events.value.has(name)} onChange={event => tick(name, event.currentTarget.checked)} />{' '}
            {say(label)}
          </label>
        ))}
      </fieldset>
      <button type="submit" disabled={busy.value || events.value.size === 0}>
        {say({ en: 'Create a webhook', zh: '建立 Webhook' })}
      </button>
      <Refusal refused={refused.value} />
    </form>
  )
}

interface DatasetsProps {
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (chosen: ReadonlySet<string>) => void
}

/** Chooses datasets by name. Without a choice, all datasets apply. */
function Datasets({ chosen, onChoose }: DatasetsProps) {
  const datasets = useCatalog().value.value ?? []
  const names = datasets.filter(({ slug }) => chosen.has(slug)).map(titleOf)
  const shown = names.length === 0 ? say({ en: 'all', zh: '全部' }) : names.join(say({ en: ', ', zh: '、' }))
  const toggle = (slug: string) => {
    const next = new Set(chosen)
    if (!next.delete(slug)) next.add(slug)
    onChoose(next)
  }
  return (
    <details class="dataset-choice">
      <summary>{say({ en: `Datasets: ${shown}`, zh: `資料集：${shown}` })}</summary>
      <div class="row">
        {datasets.map(dataset => (
          <label key={dataset.slug} class="tick">
            <input type="checkbox" checked={chosen.has(dataset.slug)} onChange={() => toggle(dataset.slug)} /> {titleOf(dataset)}
          </label>
        ))}
      </div>
    </details>
  )
}
