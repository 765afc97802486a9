import { z } from 'zod'
import { emailMistake, type Locale, readEmail } from '../../../accounts/index.ts'
import type { Words } from '../../../core/index.ts'
import { type Endpoint, languageNamed, requires, unmet } from '../../kernel/index.ts'
import { CodeSent, SignedIn } from './schemas.ts'

const SIGN_IN = { group: 'self_serve', caller: 'public' } as const

export const Address = z.unknown().transform((text, context) => {
  const email = readEmail(text)
  if (email) return email
  const { en, zh } = emailMistake(text)
  context.addIssue(unmet({ en: `must be ${en}`, zh: `必須是${zh}` }, 'email'))
  return z.NEVER
})

/** For documentation only. The service accepts more, for example domains in other scripts. */
export const ADDRESS_FORM = {
  type: 'string',
  maxLength: 254,
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}$",
} as const

export const LOCALES = { en: 'en', zh: 'zh-TW' } as const satisfies Readonly<Record<keyof Words, Locale>>

export const START = {
  ...SIGN_IN,
  limit: 'onboarding',
  summary: 'Sign in or sign up: send a code by mail',
  summaryZh: '登入或註冊：寄送驗證碼',
  description:
    'Sends a sign-in code to the address, at most one code per minute and five per hour. A code is valid for ten minutes. The response is the same whether or not the address has an account.',
  body: z.strictObject({
    email: Address.meta({ description: 'One e-mail address, without a display name.', wire: ADDRESS_FORM, example: 'analyst@example.com' }),
    locale: z
      .string()
      .max(35)
      .transform(name => LOCALES[languageNamed(name) ?? 'en'])
      .optional()
      .meta({
        description:
          'Language of the mail. `zh-TW`, in upper or lower case, means Chinese. Any other value means English. Default: the language of `Accept-Language`, or both languages if the header names neither.',
        example: 'zh-TW',
      }),
  }),
  answer: CodeSent,
  refusals: ['overloaded'],
  example: { body: { email: 'analyst@example.com' } },
} satisfies Endpoint

export const COMPLETE = {
  ...SIGN_IN,
  limit: 'code',
  summary: 'Sign in with the mailed code',
  summaryZh: '以驗證碼完成登入',
  description:
    'Returns a token for the self-serve paths. Also returns a first key if the account has no key. A code works once. Each sign-in allows five attempts, and each code allows fifty attempts.',
  body: z.strictObject({
    flow_id: z
      .string()
      .max(64)
      .meta({ description: '`flow_id` from the response to the start of the sign-in.', example: 'flow_0123456789abcdefghjkmnpqrs' }),
    code: z
      .string()
      .trim()
      .refine(code => /^\d{8}$/.test(code), requires({ en: 'must be the 8 digits of the mail', zh: '必須是信中的 8 位數字' }, 'pattern'))
      .meta({ description: 'Code from the mail: eight digits.', pattern: '^\\s*[0-9]{8}\\s*$', example: '01234567' }),
  }),
  answer: SignedIn,
  refusals: ['invalid_or_expired_code'],
} satisfies Endpoint
