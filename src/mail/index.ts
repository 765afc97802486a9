/** The mail outbox and its transport. */
export { openMailer } from './mailer.ts'
export { createOutbox, mailOwnerOf, type Outbox } from './outbox.ts'
export { type Message, openTransport } from './transport.ts'
