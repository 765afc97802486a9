import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newId } from '../core/index.ts'

/** Texts never contain input of the recipient. */
export interface Message {
  readonly subject: string
  readonly body: string
}

export interface Transport {
  /**
   * Resolves when the server accepts the mail.
   * @throws Error if the server rejects the mail
   */
  send(message: Message & { readonly to: string }): Promise<void>
  /**
   * Connects without sending a mail.
   * @throws Error if the server cannot be reached
   */
  check(): Promise<void>
  close(): void
}

/**
 * Opens a mail server (`smtp://`, `smtps://`), a folder (`file:///folder`) or the terminal
 * (`console:`).
 *
 * @throws Error that names the variable for any other URL
 */
export function openTransport(url: string, from: string): Transport {
  if (url === 'console:')
    return {
      send: async ({ to, subject, body }) => console.error(`mail to ${to}: ${subject}\n${body}`),
      check: async () => {},
      close: () => {},
    }
  if (url.startsWith('file://')) return folderTransport(fileURLToPath(url), from)
  if (/^smtps?:\/\//.test(url)) return smtpTransport(url, from)
  throw new Error('MAIL_URL must start with smtp://, smtps:// or file:///, or be console:')
}

function folderTransport(path: string, from: string): Transport {
  const mails = loadLazily(({ createTransport }) => createTransport({ streamTransport: true, buffer: true }))
  return {
    async send(message) {
      mkdirSync(path, { recursive: true })
      const { message: mail } = await (await mails.get()).sendMail(addressedMail(message, from))
      writeFileSync(join(path, `${newId('req')}.eml`), mail as Buffer, { mode: 0o600 })
    },
    check: async () => void mkdirSync(path, { recursive: true }),
    close: mails.close,
  }
}

function smtpTransport(url: string, from: string): Transport {
  const server = loadLazily(({ createTransport }) =>
    createTransport({ url, pool: true, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }),
  )
  return {
    send: async message => void (await (await server.get()).sendMail(addressedMail(message, from))),
    check: async () => void (await (await server.get()).verify()),
    close: server.close,
  }
}

/** Loads the mail library at the first mail, so that the service starts faster. */
function loadLazily<T extends { close(): void }>(create: (library: typeof import('nodemailer')) => T) {
  let instance: Promise<T> | undefined
  return {
    get: (): Promise<T> => (instance ??= import('nodemailer').then(create)),
    close: (): void =>
      void instance?.then(
        transport => transport.close(),
        () => {},
      ),
  }
}

/**
 * Sets explicit addresses, because nodemailer would parse a malicious address as several
 * recipients.
 */
const addressedMail = ({ to, subject, body }: Message & { readonly to: string }, from: string) => ({
  from,
  to: { name: '', address: to },
  envelope: { from: /<([^>]+)>/.exec(from)?.[1] ?? from, to: [to] },
  subject,
  text: body,
})
