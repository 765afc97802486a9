import { z } from 'zod'
import { emailMistake, type Locale, readEmail } from '../../../accounts/index.ts'
import type { Words } from '../../../core/index.ts'
import { type Endpoint, languageNamed, requires, unmet } from '../../kernel/index.ts'
import { CodeSent, SignedIn } from './schemas.ts'

const SIGN_IN = { group: 'self_serve', caller: 'public' } as const

/** One plain address, read. */
export const Address = z.unknown().transform((text, context) => {
  const email = readEmail(text)
  if (email) return email
  const { en, zh } = emailMistake(text)
  context.addIssue(unmet({ en: `must be ${en}`, zh: `必須是${zh}` }, 'email'))
  return z.NEVER
})

/**
 * How addresses are documented: those in plain letters, which are all but a few. Domains of other scripts are accepted as well, and blanks
 * around an address.
 */
export const ADDRESS_FORM = {
  type: 'string',
  maxLength: 254,
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}$",
} as const

/** What a language is called in sign-ins. */
export const LOCALES = { en: 'en', zh: 'zh-TW' } as const satisfies Readonly<Record<keyof Words, Locale>>

export const START = {
  ...SIGN_IN,
  limit: 'onboarding',
  summary: 'Sign in or sign up: have a code mailed',
  summaryZh: '登入或註冊：寄送驗證碼',
  description:
    'The answer is the same whether the address has an account or not. A code works for ten minutes; within a minute of one no other is mailed, and five an hour at most.',
  body: z.strictObject({
    email: Address.meta({ description: 'One plain address.', wire: ADDRESS_FORM, example: 'analyst@example.com' }),
    locale: z
      .string()
      .max(35)
      .transform(name => LOCALES[languageNamed(name) ?? 'en'])
      .optional()
      .meta({
        description:
          'Language of the mail: zh-TW, in any case, for Chinese; English for any other. Left out, the mail is in the language of Accept-Language, and in both where that names neither.',
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
    'Answers a token for the self-serve paths, and the first key where the account has none. Five tries a start, fifty a code; a code works once.',
  body: z.strictObject({
    flow_id: z.string().max(64).meta({ description: 'As the start answered it.', example: 'flow_0123456789abcdefghjkmnpqrs' }),
    code: z
      .string()
      .trim()
      .refine(code => /^\d{8}$/.test(code), requires({ en: 'must be the 8 digits of the mail', zh: '必須是信中的 8 位數字' }, 'pattern'))
      .meta({ description: 'The eight digits of the mail.', pattern: '^\\s*[0-9]{8}\\s*$', example: '01234567' }),
  }),
  answer: SignedIn,
  refusals: ['invalid_or_expired_code'],
} satisfies Endpoint
