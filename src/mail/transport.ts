import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newId } from '../core/index.ts'

/** Subject and plain text of a mail. Neither contains anything the recipient typed. */
export interface Message {
  readonly subject: string
  readonly body: string
}

/** The way a mail leaves: a mail server, a folder of files, or the terminal. */
export interface Transport {
  /** Resolves once the mail is accepted. @throws when it is not */
  send(message: Message & { readonly to: string }): Promise<void>
  /** Connects without sending anything. @throws when the server cannot be reached */
  check(): Promise<void>
  close(): void
}

/**
 * Opens what `MAIL_URL` names: `smtp://` or `smtps://` a mail server, `file:///folder` one `.eml` file per mail, `console:` the terminal.
 *
 * @throws Error naming the variable for any other address
 */
export function openTransport(url: string, from: string): Transport {
  if (url === 'console:')
    return {
      send: async ({ to, subject, body }) => console.error(`mail to ${to}: ${subject}\n${body}`),
      check: async () => {},
      close: () => {},
    }
  if (url.startsWith('file://')) return folder(fileURLToPath(url), from)
  if (/^smtps?:\/\//.test(url)) return smtp(url, from)
  throw new Error('MAIL_URL must begin with smtp://, smtps://, file:/// or be console:')
}

function folder(path: string, from: string): Transport {
  const mails = once(({ createTransport }) => createTransport({ streamTransport: true, buffer: true }))
  return {
    async send(message) {
      mkdirSync(path, { recursive: true })
      const { message: mail } = await (await mails.get()).sendMail(addressed(message, from))
      writeFileSync(join(path, `${newId('req')}.eml`), mail as Buffer, { mode: 0o600 })
    },
    check: async () => void mkdirSync(path, { recursive: true }),
    close: mails.close,
  }
}

function smtp(url: string, from: string): Transport {
  const server = once(({ createTransport }) =>
    createTransport({ url, pool: true, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }),
  )
  return {
    send: async message => void (await (await server.get()).sendMail(addressed(message, from))),
    check: async () => void (await (await server.get()).verify()),
    close: server.close,
  }
}

/** Loads the mail library for the first mail: a start has none to send. */
function once<T extends { close(): void }>(make: (library: typeof import('nodemailer')) => T) {
  let made: Promise<T> | undefined
  return {
    get: (): Promise<T> => (made ??= import('nodemailer').then(make)),
    close: (): void =>
      void made?.then(
        one => one.close(),
        () => {},
      ),
  }
}

/** The envelope is explicit because nodemailer reads further recipients out of a crafted address. */
const addressed = ({ to, subject, body }: Message & { readonly to: string }, from: string) => ({
  from,
  to: { name: '', address: to },
  envelope: { from: /<([^>]+)>/.exec(from)?.[1] ?? from, to: [to] },
  subject,
  text: body,
})
