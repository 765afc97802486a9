import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { connect, createServer } from 'node:net'
import { answer } from '../child.ts'

export interface User {
  readonly uid: number
  readonly gid: number
}

export interface ProgramOrder {
  readonly path: string
  /** Replaces `{port}` by the port of the program. */
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly user?: User | undefined
  /** Signal that stops the program. Default: SIGTERM. */
  readonly signal?: NodeJS.Signals
}

const PATIENCE_MS = 120_000

let stop = async (): Promise<void> => {}

answer({
  /**
   * @returns the port, once the program listens
   * @throws Error with the last output if the program ends before it listens
   */
  async start({ path, args, env, user, signal = 'SIGTERM' }: ProgramOrder): Promise<number> {
    const port = await freePort()
    const placed = args.map(arg => arg.replaceAll('{port}', String(port)))
    const child = spawn(path, placed, { env: { ...process.env, ...env }, ...user, stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => {
        said = (said + bytes.toString()).slice(-2_000)
      })
    const gone = new Promise<void>(resolve => child.once('close', () => resolve()))
    process.once('exit', () => child.kill(signal))
    stop = async () => {
      child.kill(signal)
      await gone
    }
    await untilListening(child, port).catch(async (error: Error) => {
      await stop()
      throw new Error(`${path} ${error.message}: ${said}`)
    })
    return port
  },
  stop: () => stop(),
  /** @throws Error with the output if the program fails */
  run({ path, args, user }: ProgramOrder): void {
    const { status, stderr, error } = spawnSync(path, args, { ...user, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] })
    if (status !== 0) throw new Error(`${path} failed: ${error?.message ?? stderr}`)
  },
})

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  let failure: Error | undefined
  child.once('error', error => {
    failure = error
  })
  child.once('exit', code => {
    failure ??= new Error(`ended with code ${code}`)
  })
  const until = performance.now() + PATIENCE_MS
  while (!(await isListening(port))) {
    if (failure) throw failure
    if (performance.now() > until) throw new Error('did not listen in time')
    await new Promise(soon => setTimeout(soon, 100))
  }
}

const isListening = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port })
    const told = (listens: boolean) => (): void => {
      socket.destroy()
      resolve(listens)
    }
    socket.once('connect', told(true)).once('error', told(false))
  })

const freePort = (): Promise<number> =>
  new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { readonly port: number }
      server.close(() => resolve(port))
    })
  })
