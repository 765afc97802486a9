import type { Command } from 'commander'
import { bringCalendar } from '../../../ingest/calendar/index.ts'
import { type InboxEvent, type TakenFile, watchInbox } from '../../../ingest/inbox/index.ts'
import type { Log } from '../../core/index.ts'
import { failureReason } from '../../engine/index.ts'
import { stopSignal } from '../serve/serve.ts'
import { supervised } from '../serve/supervisor.ts'
import { EXIT, print, say } from '../terminal.ts'
import { configured, withWorkspace } from '../workspace.ts'
import { printPublication, publicationJson } from './publish.ts'

interface Options {
  readonly once?: boolean
  readonly json?: boolean
}

export function watchCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('watch')
    .description('publish files from DATA_DIR/inbox and archive them')
    .option('--once', 'exit when all present files are processed')
    .option('--json', 'print one JSON document per line for each event')
    .action(async ({ once = false, json = false }: Options) => {
      const { dataDir, inbox } = configured()
      const service = supervised()
      const stopping = new AbortController()
      void Promise.race([stopSignal(), ...(service ? [service.ended] : [])]).then(() => stopping.abort())
      const tell = service ? logged(service.log) : json ? printed : printEvent
      const report = (event: InboxEvent): void => {
        tell(event)
        if (once && isTrouble(event)) setExitCode(EXIT.refused)
      }
      const options = { dataDir, clock: () => new Date(), settleMs: inbox.settleMs, once, signal: stopping.signal, report }
      try {
        await watchInbox({
          ...options,
          withWorkspace: work =>
            withWorkspace(async workspace => {
              await bringCalendar(workspace)
              await work(workspace)
            }),
        })
      } finally {
        service?.close()
      }
    })
}

const isTrouble = (event: InboxEvent): boolean =>
  event.kind !== 'taken' || event.files.some(({ outcome }) => outcome === 'refused' || outcome === 'left')

const countsOf = (files: readonly TakenFile[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(files, ({ outcome }) => outcome)].map(([outcome, those]) => [outcome, those.length]))

/** Logs one line per batch, and one line per file that was not imported. */
function logged(log: Log): (event: InboxEvent) => void {
  return event => {
    if (event.kind === 'failed')
      return log('failed', {
        during: `processing files of ${event.place}`,
        error: failureReason(event.error),
        again_in_ms: event.againInMs,
      })
    if (event.kind === 'left') return log('file left', { inbox: event.place, file: event.file, reason: event.message })
    const { place: inbox, files, publications } = event
    for (const { file, outcome, movedTo, rule, said } of files) {
      if (outcome === 'refused') log('file refused', { inbox, file, rule, reason: said.join(' '), kept: movedTo })
      if (outcome === 'left') log('file left', { inbox, file, reason: said.join(' ') })
    }
    const releases = publications.flatMap(({ dataset, outcome }) => (outcome.status === 'published' ? [[dataset, outcome.release]] : []))
    log('files taken', { inbox, ...countsOf(files), releases: Object.fromEntries(releases) })
  }
}

function printed(event: InboxEvent): void {
  if (event.kind === 'failed')
    return print(JSON.stringify({ event: 'failed', inbox: event.place, error: failureReason(event.error), again_in_ms: event.againInMs }))
  if (event.kind === 'left') return print(JSON.stringify({ event: 'left', inbox: event.place, file: event.file, reason: event.message }))
  const { place: inbox, files, publications, leftQuarantine } = event
  const told = files.map(({ file, outcome, movedTo, rule, said }) => ({ file, outcome, moved_to: movedTo, rule, said }))
  const rest = { publications: publications.map(publicationJson), left_quarantine: leftQuarantine }
  print(JSON.stringify({ event: 'taken', inbox, files: told, ...rest }))
}

/** Prints refused and skipped files. Counts other files. */
function printEvent(event: InboxEvent): void {
  if (event.kind === 'failed')
    return say(`waiting   ${event.place}: ${failureReason(event.error)} Next try in ${event.againInMs / 1_000} s.`)
  const where = (file: string): string => (event.place === '' ? file : `${event.place}/${file}`)
  if (event.kind === 'left') return say(`left      ${where(event.file)}: ${event.message}`)
  for (const { file, outcome, movedTo, said } of event.files) {
    if (outcome === 'refused') say(`refused   ${where(file)}: ${said.join(' ')}\n          stored with its report in ${movedTo}`)
    else if (outcome === 'left') say(`left      ${where(file)}: ${said.join(' ')}`)
    else if (outcome === 'already') print(`already   ${where(file)}: ${said.join(' ')}`)
    else for (const note of said) print(`note      ${where(file)}: ${note}`)
  }
  for (const folder of event.leftQuarantine) say(`deleted from the quarantine, which reached its limit: ${folder}`)
  // Refused files were already printed.
  const spoken = event.files.some(({ outcome }) => outcome === 'refused')
  for (const publication of event.publications) if (publication.outcome.status !== 'refused' || !spoken) printPublication(publication)
  const counts = Object.entries(countsOf(event.files)).map(([outcome, files]) => `${files} ${outcome}`)
  print(`${event.place}: ${counts.join(', ')}.`)
}
