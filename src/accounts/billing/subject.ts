/** What an event is about: all of it that is kept, so that no card, name or address of a payer is. */
export interface Subject {
  readonly subscription: string
  /** The account, where a finished checkout names it. */
  readonly account?: string
}

/** Events that change what an account has. Others are kept by their id and ignored. */
export const EVENT_TYPES = [
  'checkout.session.completed',
  'customer.subscription.created',
  'customer.subscription.updated',
  'customer.subscription.deleted',
  'invoice.paid',
  'invoice.payment_failed',
] as const

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {})

/** The subscription an event is about, in either place an invoice names it; null for an event without one, or of another type. */
export function subjectOf(type: string, data: unknown): Subject | null {
  if (!(EVENT_TYPES as readonly string[]).includes(type)) return null
  const object = fieldsOf(fieldsOf(data)['object'])
  const details = fieldsOf(fieldsOf(object['parent'])['subscription_details'])
  const subscription = type.startsWith('customer.subscription.') ? object['id'] : (object['subscription'] ?? details['subscription'])
  if (typeof subscription !== 'string') return null
  const account = type === 'checkout.session.completed' ? accountOf(object) : undefined
  return account === undefined ? { subscription } : { subscription, account }
}

function accountOf(session: Fields): string | undefined {
  const named = session['client_reference_id'] ?? fieldsOf(session['metadata'])['account_id']
  return typeof named === 'string' ? named : undefined
}
