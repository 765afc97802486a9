import { subscriptionLifecycle } from './lifecycle.ts'

subscriptionLifecycle({ name: 'in order', manner: {}, header: 'Payment-Signature', older: false })
