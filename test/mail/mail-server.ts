import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { domainToASCII } from 'node:url'
import { SMTPServer } from 'smtp-server'

/** A received mail. */
export interface Mail {
  /** Recipients in the envelope, which receive the mail. */
  readonly to: readonly string[]
  readonly head: string
  readonly text: string
}

/** A mail server on a loopback port that can refuse mail, be slow, or be down. */
export async function postOffice() {
  const mails: Mail[] = []
  const behaviour = { refusing: null as number | null, whose: '', until: Promise.resolve(), receiving: 0, absences: 0 }
  const build = () =>
    new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      closeTimeout: 10,
      async onData(stream, { envelope }, callback) {
        const raw = await text(stream)
        const { absences } = behaviour
        behaviour.receiving++
        await behaviour.until
        behaviour.receiving--
        if (behaviour.absences > absences) return
        if (behaviour.refusing !== null && envelope.rcptTo[0]?.address.includes(behaviour.whose))
          return callback(Object.assign(new Error(`not for ${envelope.rcptTo[0]?.address}`), { responseCode: behaviour.refusing }))
        mails.push({ to: envelope.rcptTo.map(({ address }) => inAscii(address)), head: raw.split('\r\n\r\n')[0]!, text: decoded(raw) })
        callback()
      },
    })
  let server!: SMTPServer
  const open = async (port: number): Promise<void> => {
    server = build()
    // Ignored, because tests disconnect clients on purpose.
    server.on('error', () => {})
    server.listen(port, '127.0.0.1')
    await once(server.server, 'listening')
  }
  const close = (): Promise<void> => new Promise(resolve => server.close(() => resolve()))
  await open(0)
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    /** Refuses every mail, or mail to one address, with this status. Null accepts mail again. */
    refuse(status: number | null, whose = ''): void {
      Object.assign(behaviour, { refusing: status, whose })
    },
    /** Number of received but unanswered mails. */
    receiving: (): number => behaviour.receiving,
    /** Leaves all mail unanswered until the returned function is called. */
    dawdle(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>()
      behaviour.until = promise
      return resolve
    },
    /** Closes every connection. Unanswered mails are lost. */
    goAway(): Promise<void> {
      behaviour.absences++
      return close()
    },
    comeBack: () => open(port),
    close,
  }
}

/** The address with its domain in ASCII, as it was sent. The library decodes domains. */
const inAscii = (address: string): string => address.replace(/[^@]+$/, domainToASCII)

/** The decoded plain text of a mail. */
function decoded(raw: string): string {
  const [head, ...rest] = raw.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  if (/^Content-Transfer-Encoding: base64/im.test(head!)) return Buffer.from(body, 'base64').toString()
  return body.replaceAll('=\r\n', '').replace(/(=[0-9A-F]{2})+/g, bytes => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString())
}
