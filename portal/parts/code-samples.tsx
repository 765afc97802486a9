import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import '../style/code-samples.css'
import { codeSamples, type SampledRead, type SampleId } from './code-samples.ts'
import { Copy } from './copy.tsx'
import { say } from './language.ts'
import { TabPanel, Tabs } from './tabs.tsx'

const KEY = 'sample'

/** Returns the language that the user chose last. Default: curl. */
function chosenBefore(): SampleId {
  try {
    return (localStorage.getItem(KEY) as SampleId | null) ?? 'curl'
  } catch {
    return 'curl'
  }
}

export function CodeSamples({ read }: { readonly read: Omit<SampledRead, 'origin'> }) {
  const samples = codeSamples({ ...read, origin: location.origin })
  const [id, chosen] = [useId(), useSignal<SampleId>(chosenBefore())]
  const sample = samples.find(one => one.id === chosen.value) ?? samples[0]!
  const choose = (next: SampleId) => {
    chosen.value = next
    try {
      localStorage.setItem(KEY, next)
    } catch {
      // Storage may be forbidden. The choice is then lost when the page closes.
    }
  }
  return (
    <div class="samples">
      <Tabs id={id} label={say({ en: 'The query in', zh: '查詢語法' })} tabs={samples} chosen={sample.id} onChoose={choose} />
      <TabPanel id={id} chosen={sample.id}>
        <Copy text={sample.code} label={`${say({ en: 'Copy', zh: '複製' })} ${sample.label}`} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard */}
        <pre tabIndex={0}>{sample.code}</pre>
      </TabPanel>
      <p class="dim">
        {say({ en: 'Set your key as an environment variable first:', zh: '請先將金鑰設為環境變數' })} <code>TWMD_API_KEY</code>
        {say({ en: '. If there are more rows, the Link header has the next page.', zh: '。若有下一頁，網址在 Link 標頭。' })}
      </p>
    </div>
  )
}
