import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import '../style/code-samples.css'
import { codeSamples, type SampledRead, type SampleId } from './code-samples.ts'
import { say } from './language.ts'

/** Milliseconds a copied text is said to be. */
const SAID_MS = 2_000
const KEY = 'sample'

/** The language whose sample was looked at last, on whatever page; curl where storage is forbidden. */
function chosenBefore(): SampleId {
  try {
    return (localStorage.getItem(KEY) as SampleId | null) ?? 'curl'
  } catch {
    return 'curl'
  }
}

/** A read as code in several languages, one at a time, with a button that copies it. */
export function CodeSamples({ read }: { readonly read: Omit<SampledRead, 'origin'> }) {
  const samples = codeSamples({ ...read, origin: location.origin })
  const [id, chosen] = [useId(), useSignal<SampleId>(chosenBefore())]
  const at = Math.max(
    0,
    samples.findIndex(sample => sample.id === chosen.value),
  )
  const choose = (place: number) => {
    const sample = samples[(place + samples.length) % samples.length]!
    chosen.value = sample.id
    document.getElementById(`${id}-${sample.id}`)?.focus()
    try {
      localStorage.setItem(KEY, sample.id)
    } catch {
      // Storage may be forbidden; the choice then lasts as long as the page.
    }
  }
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight') choose(at + 1)
    else if (event.key === 'ArrowLeft') choose(at - 1)
    else if (event.key === 'Home') choose(0)
    else if (event.key === 'End') choose(samples.length - 1)
    else return
    event.preventDefault()
  }
  const { code, label } = samples[at]!
  return (
    <div class="samples">
      <div class="samples-tabs" role="tablist" aria-label={say({ en: 'The query in', zh: '查詢語法' })} onKeyDown={keys}>
        {samples.map((sample, place) => (
          <button
            key={sample.id}
            id={`${id}-${sample.id}`}
            type="button"
            role="tab"
            aria-selected={place === at}
            aria-controls={`${id}-code`}
            tabIndex={place === at ? 0 : -1}
            onClick={() => choose(place)}
          >
            {sample.label}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-code`} aria-labelledby={`${id}-${samples[at]!.id}`}>
        <CopyButton text={code} what={label} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
        <pre tabIndex={0}>{code}</pre>
      </div>
      <p class="dim">
        {say({ en: 'Put your key into the environment first:', zh: '請先將金鑰設為環境變數：' })} <code>TWMD_KEY</code>.{' '}
        {say({ en: 'A longer answer names its next page in the header Link.', zh: '若結果分頁，下一頁位址在 Link 標頭。' })}
      </p>
    </div>
  )
}

/** Copies a text, and says so. @param what named in the button, for assistive technology */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const said = useSignal<'' | 'copied' | 'failed'>('')
  const copy = async () => {
    said.value = await navigator.clipboard.writeText(text).then(
      () => 'copied' as const,
      () => 'failed' as const,
    )
    setTimeout(() => {
      said.value = ''
    }, SAID_MS)
  }
  return (
    <span class="copy">
      <button type="button" onClick={() => void copy()}>
        {say({ en: 'Copy', zh: '複製' })}
        <span class="visually-hidden"> {what}</span>
      </button>{' '}
      <span role="status">{SAID[said.value]}</span>
    </span>
  )
}

const SAID = {
  '': '',
  copied: say({ en: 'Copied', zh: '已複製' }),
  failed: say({ en: 'Copying is forbidden here: select the text instead.', zh: '無法複製，請改為選取文字。' }),
} as const
