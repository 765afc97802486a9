import { isDeepStrictEqual } from 'node:util'
import { type Child, startChild } from '../child.ts'
import { folderOf, type Size } from '../data.ts'
import type { LoadOrder } from '../load.ts'
import type { Served, ServedOptions } from '../server.ts'
import { type Line, median } from '../table.ts'
import { peersWith, type Started } from './peers.ts'
import { findCluster } from './postgres.ts'
import { type Question, randomQuestions, servicePath } from './questions.ts'
import { ensureStock } from './stock.ts'

interface Contender {
  readonly url: string
  readonly keys: readonly string[]
  path(question: Question): string
}

const CONNECTIONS = [1, 10, 64] as const
const COMPARED = 20

/** Measures point reads of several servers with the same rows. */
export async function measurePeers(
  size: Size,
  [rounds, seconds]: readonly [number, number],
  say: (text: string) => void,
): Promise<readonly Line[]> {
  const cluster = findCluster()
  const peers = peersWith(cluster).filter(({ name, missing }) => {
    const reason = missing()
    if (reason !== null) say(`${name} is left out. ${reason}`)
    return reason === null
  })
  const stock = await ensureStock(size, cluster, say)
  const questions = randomQuestions(size)
  // Disables cached answers, because queries repeat within a round.
  const [load, server, bare] = [startChild('load.ts'), startChild('server.ts'), startChild('bare.ts')]
  const started: Started[] = []
  try {
    const service = {
      ...(await server.ask<Served>('start', folderOf(size), { env: { ANSWER_BYTES: '0' } } satisfies ServedOptions)),
      path: servicePath,
    }
    await server.ask('rest')
    for (const { name, start } of peers) {
      say(`starting ${name}`)
      started.push(await start(stock))
    }
    const others = peers.map(({ path }, index) => ({ url: started[index]!.url, keys: [], path }))
    await compareAnswers(
      peers.map(({ name }) => name),
      service,
      others,
      questions,
    )
    const bodies = await Promise.all(questions.slice(0, COMPARED).map(question => ask(service, question).then(answer => answer.text())))
    const body = bodies.sort((a, b) => a.length - b.length)[COMPARED / 2]!
    const floor = { url: await bare.ask<string>('start', body), keys: [], path: servicePath }
    const rates = await inTurn(load, [service, ...others, floor], questions, rounds, seconds)
    const names = [...peers, { name: 'bare Fastify, a body of that size', goals: [] }]
    return CONNECTIONS.flatMap((connections, at) =>
      names.map(({ name, goals }, index): Line => {
        const goal = goals[at]
        const [measured, against] = [median(rates[at]![0]!), median(rates[at]![index + 1]!)]
        return { name: `point reads / ${name}, ${connections} conn.`, measured, against, unit: 'req/s', ...(goal && { goal }) }
      }),
    )
  } finally {
    await Promise.all([load.stop(), server.stop(), bare.stop(), ...started.map(one => one.stop())])
  }
}

/** @returns requests per second by number of connections, server and round */
async function inTurn(
  load: Child,
  contenders: readonly Contender[],
  questions: readonly Question[],
  rounds: number,
  seconds: number,
): Promise<readonly (readonly (readonly number[])[])[]> {
  const run = async (contender: Contender, connections: number): Promise<number> => {
    const { url, keys, path } = contender
    const rate = await load.ask<number>('run', { url, keys, paths: questions.map(path), connections, seconds } satisfies LoadOrder)
    await ask(contender, questions[0]!).then(answer => answer.arrayBuffer())
    return rate
  }
  for (const contender of contenders) await run(contender, 10)
  const rates = CONNECTIONS.map(() => contenders.map((): number[] => []))
  for (let round = 0; round < rounds; round++)
    for (const [at, connections] of CONNECTIONS.entries())
      for (let turn = 0; turn < contenders.length; turn++) {
        const index = (round + turn) % contenders.length
        rates[at]![index]!.push(await run(contenders[index]!, connections))
      }
  return rates
}

/** @throws Error if a peer returns different rows */
async function compareAnswers(
  names: readonly string[],
  service: Contender,
  others: readonly Contender[],
  questions: readonly Question[],
): Promise<void> {
  for (const question of questions.slice(0, COMPARED)) {
    const wanted = await rowsOf(service, question)
    for (const [index, other] of others.entries()) {
      const found = await rowsOf(other, question)
      if (!isDeepStrictEqual(found, wanted))
        throw new Error(
          `${names[index]} answers ${other.path(question)} with ${JSON.stringify(found[0])} first of ${found.length} rows, not ${JSON.stringify(wanted[0])} of ${wanted.length}`,
        )
    }
  }
}

const ask = ({ url, keys, path }: Contender, question: Question): Promise<Response> =>
  fetch(url + path(question), { headers: keys.length > 0 ? { 'x-api-key': keys[0]! } : {} })

type Row = Readonly<Record<string, unknown>>

/** Peers return an array, or an object with `data`. Some peers omit empty cells. */
async function rowsOf(contender: Contender, question: Question): Promise<readonly Row[]> {
  const answer = await ask(contender, question)
  if (!answer.ok) throw new Error(`${contender.url}${contender.path(question)} was answered ${answer.status}: ${await answer.text()}`)
  const body = (await answer.json()) as readonly Row[] | { readonly data: readonly Row[] }
  const rows = 'data' in body ? body.data : body
  return rows.map(row => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)))
}
