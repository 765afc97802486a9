import { z } from 'zod'
import { count, timestamp } from '../../kernel/index.ts'
import { Account } from './account-answer.ts'
import { IssuedKey } from './key-answer.ts'

export const CodeSent = z
  .object({
    flow_id: z.string().meta({ description: 'Names this sign-in; send it back with the code.' }),
    status: z.literal('code_sent').meta({ description: 'The same for every address, whether it has an account or not.' }),
    expires_in: count('Seconds the code on its way works.'),
    resend_after: count('Seconds until another code can be mailed.'),
  })
  .meta({ id: 'CodeSent' })

export const SignedIn = z
  .object({
    self_serve_token: z.string().meta({ description: '`sst_` and 43 characters; send it in x-self-serve-token.' }),
    expires_at: timestamp('When the session ends at the latest; 12 hours without use end it sooner.'),
    account: Account,
    api_key: IssuedKey.optional().meta({ description: 'The first key, with its secret; only when the account had none.' }),
  })
  .meta({ id: 'SignedIn' })
