import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { domainToASCII } from 'node:url'
import { SMTPServer } from 'smtp-server'

/** A mail as the server took it. */
export interface Mail {
  /** Recipients of the envelope: who it really goes to. */
  readonly to: readonly string[]
  readonly head: string
  readonly text: string
}

/** A mail server on a loopback port that can be made to refuse, to be slow, and to be down. */
export async function postOffice() {
  const mails: Mail[] = []
  const behaviour = { refusing: null as number | null, whose: '', until: Promise.resolve(), receiving: 0, absences: 0 }
  const build = () =>
    new SMTPServer({
      disabledCommands: ['AUTH', 'STARTTLS'],
      closeTimeout: 10,
      async onData(stream, { envelope }, done) {
        const raw = await text(stream)
        const { absences } = behaviour
        behaviour.receiving++
        await behaviour.until
        behaviour.receiving--
        if (behaviour.absences > absences) return
        if (behaviour.refusing !== null && envelope.rcptTo[0]?.address.includes(behaviour.whose))
          return done(Object.assign(new Error(`not for ${envelope.rcptTo[0]?.address}`), { responseCode: behaviour.refusing }))
        mails.push({ to: envelope.rcptTo.map(({ address }) => inAscii(address)), head: raw.split('\r\n\r\n')[0]!, text: decoded(raw) })
        done()
      },
    })
  let server!: SMTPServer
  const open = async (port: number): Promise<void> => {
    server = build()
    // Clients that are cut off midway are part of what is tested.
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
    /** Refuses every mail, or those to one address, with that status from now on; null takes them again. */
    refuse(status: number | null, whose = ''): void {
      Object.assign(behaviour, { refusing: status, whose })
    },
    /** How many mails have arrived and not been answered. */
    receiving: (): number => behaviour.receiving,
    /** Leaves every mail unanswered until the returned function is called. */
    dawdle(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>()
      behaviour.until = promise
      return resolve
    },
    /** Cuts every connection; mails that were not answered are lost. */
    goAway(): Promise<void> {
      behaviour.absences++
      return close()
    },
    comeBack: () => open(port),
    close,
  }
}

/** The library shows domains in their own script; on the wire they are ASCII. */
const inAscii = (address: string): string => address.replace(/[^@]+$/, domainToASCII)

/** The plain text of a mail, out of its transfer encoding. */
function decoded(raw: string): string {
  const [head, ...rest] = raw.split('\r\n\r\n')
  const body = rest.join('\r\n\r\n')
  if (/^Content-Transfer-Encoding: base64/im.test(head!)) return Buffer.from(body, 'base64').toString()
  return body.replaceAll('=\r\n', '').replace(/(=[0-9A-F]{2})+/g, bytes => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString())
}
