import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import '../style/code-samples.css'
import { codeSamples, type SampledRead, type SampleId } from './code-samples.ts'
import { Copy } from './copy.tsx'
import { say } from './language.ts'
import { TabPanel, Tabs } from './tabs.tsx'

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
  const sample = samples.find(one => one.id === chosen.value) ?? samples[0]!
  const choose = (next: SampleId) => {
    chosen.value = next
    try {
      localStorage.setItem(KEY, next)
    } catch {
      // Storage may be forbidden; the choice then lasts as long as the page.
    }
  }
  return (
    <div class="samples">
      <Tabs id={id} label={say({ en: 'The query in', zh: '查詢語法' })} tabs={samples} chosen={sample.id} onChoose={choose} />
      <TabPanel id={id} chosen={sample.id}>
        <Copy text={sample.code} label={`${say({ en: 'Copy', zh: '複製' })} ${sample.label}`} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
        <pre tabIndex={0}>{sample.code}</pre>
      </TabPanel>
      <p class="dim">
        {say({ en: 'Put your key into the environment first:', zh: '請先將金鑰設為環境變數：' })} <code>TWMD_API_KEY</code>.{' '}
        {say({ en: 'A longer answer names its next page in the header Link.', zh: '若結果分頁，下一頁位址在 Link 標頭。' })}
      </p>
    </div>
  )
}
