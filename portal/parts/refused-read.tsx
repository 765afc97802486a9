import type { Refused } from '../api/client.ts'
import { linkTo, planName, say, type Words } from './language.ts'
import { Refusal } from './refusal.tsx'

/** Link texts for the next step, keyed by error code. */
const STEPS: Readonly<Record<string, Words>> = {
  missing_api_key: { en: 'Sign in to read this', zh: '登入後即可讀取' },
  plan_required: { en: 'See the plans', zh: '查看方案' },
  credits_exhausted: { en: 'See credits and plans', zh: '查看點數與方案' },
  rate_limited: { en: 'Sign in to read more', zh: '登入後可讀取更多' },
}
const SIGN_IN: Words = {
  en: 'This is for signed-in users. An account is free and needs an e-mail address only.',
  zh: '此功能需登入使用。帳戶免費，僅需電子郵件地址。',
}
const SIGNED_OUT = ['invalid_api_key', 'revoked_api_key', 'expired_api_key', 'invalid_self_serve_token']

interface RefusedReadProps {
  readonly refused: Refused
  /** Plan that the dataset requires. Default: the plan that the refusal names. */
  readonly plan?: string | undefined
  readonly onRetry: () => void
}

/** Shows why a read was refused, and the next step. */
export function RefusedRead({ refused, plan = refused.requiredPlan, onRetry }: RefusedReadProps) {
  const needsPlan = refused.code === 'plan_required'
  const step = STEPS[SIGNED_OUT.includes(refused.code) ? 'missing_api_key' : refused.code]
  // Replaces messages of the service that are for programs and name fields of the answer.
  const words = refused.code === 'missing_api_key' ? SIGN_IN : needsPlan && plan ? planWords(plan) : null
  const shown = words ? { ...refused, message: say(words), requestId: null } : refused
  // A repetition cannot help with 501: the operator disabled the feature.
  const mayHelp = refused.status === 0 || refused.status === 429 || (refused.status >= 500 && refused.status !== 501)
  return (
    <Refusal refused={shown}>
      <p>
        {step && <a href={linkTo(needsPlan ? '/pricing' : '/account')}>{say(step)}</a>}{' '}
        {mayHelp && (
          <button type="button" onClick={onRetry}>
            {say({ en: 'Try again', zh: '重試' })}
          </button>
        )}
      </p>
    </Refusal>
  )
}

const planWords = (plan: string): Words => ({
  en: `This dataset requires the plan ${planName(plan)}${plan === 'max' ? '' : ' or a higher one'}.`,
  zh: `此資料集${plan === 'max' ? '' : '至少'}需要 ${planName(plan)} 方案。`,
})
