import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { PlanName } from '../../../clients/typescript/src/index.ts'
import { planName, say } from '../../parts/language.ts'
import { loadAccount } from './state.ts'

const [SOON_MS, MOST_LOOKS] = [2_000, 30]

/**
 * Notice after the payment, until the plan is active. The provider confirms payments with a short
 * delay.
 */
export function AfterCheckout({ plan }: { readonly plan: PlanName }) {
  const looks = useSignal(0)
  const hasPaid = new URLSearchParams(location.search).has('paid')
  const isThere = plan !== 'free'
  useEffect(() => {
    if (!hasPaid || isThere || looks.value >= MOST_LOOKS) return
    const timer = setTimeout(() => void loadAccount().then(() => looks.value++), SOON_MS)
    return () => clearTimeout(timer)
  }, [looks.value, isThere])
  if (!hasPaid) return null
  return (
    <p class="notice" role="status" id="after-checkout">
      {isThere
        ? say({ en: `Thank you. Your plan ${planName(plan)} is active.`, zh: `感謝您，${planName(plan)} 方案已生效。` })
        : say({
            en: 'Thank you. Your plan becomes active once the payment is confirmed, usually within a minute.',
            zh: '感謝您。付款確認後方案即生效，通常不到一分鐘。',
          })}
    </p>
  )
}
