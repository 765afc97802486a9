import { useSignal } from '@preact/signals'
import type { Key, ShareProfile as ShareProfileAnswer } from '../../../clients/typescript/src/index.ts'
import { ask, type Refused } from '../../api/client.ts'
import { say } from '../../parts/language.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { saveAs } from '../../parts/save.ts'
import { SignInAgain } from './sign-in-again.tsx'

export function ShareProfile({ keys }: { readonly keys: readonly Key[] }) {
  const [chosen, refused] = [useSignal(''), useSignal<Refused | null>(null)]
  if (keys.length === 0) return null
  const download = async (event: Event) => {
    event.preventDefault()
    const answer = await ask<ShareProfileAnswer>({ path: '/v2/self-serve/share-profile', query: { key_id: chosen.value } })
    refused.value = answer.ok ? null : answer.refused
    if (answer.ok) saveAs('twmd.share', [JSON.stringify(answer.body, null, 2)], 'application/json')
  }
  return (
    <form class="row" id="share-profile" onSubmit={download}>
      <label>
        {say({ en: 'Key for the Delta Sharing profile', zh: 'Delta Sharing 設定檔所用金鑰' })}
        <select value={chosen.value} onChange={event => (chosen.value = event.currentTarget.value)}>
          {keys.map((key, index) => (
            <option key={key.key_id} value={index === 0 ? '' : key.key_id}>
              {key.name} …{key.last4}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">{say({ en: 'Download profile', zh: '下載設定檔' })}</button>
      <p class="dim whole">
        {say({
          en: 'pandas, Spark, Power BI and others read all tables with this file. It contains the key: store it like the key.',
          zh: 'pandas、Spark、Power BI 等可用此檔讀取所有資料表。檔案含金鑰，請妥善保管。',
        })}
      </p>
      <Refusal refused={refused.value}>{refused.value?.code === 'reauth_required' && <SignInAgain />}</Refusal>
    </form>
  )
}
