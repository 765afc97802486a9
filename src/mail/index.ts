/** Mails that wait to be sent, and the transport that sends them. */
export { openMailer } from './mailer.ts'
export { createOutbox, mailOwnerOf, type Outbox } from './outbox.ts'
export { type Message, openTransport } from './transport.ts'
