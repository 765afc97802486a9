import { Refusal } from '../../src/core/index.ts'
import { followUps } from '../derive/index.ts'
import { calendarOf } from '../intake/index.ts'
import { createServedReleases, createStaging, publish, stagedColumns, stageRows, type Workspace } from '../publish/index.ts'
import { calendarDays, FIRST_YEAR, LAST_YEAR } from './closures.ts'

const CALENDAR = 'trading-calendar'
const MARKETS = ['TPEX', 'TWSE'] as const
/** Marks the built-in calendar in the sources of a manifest. */
const READ_AS = 'project_calendar'

const calendarRows = () => calendarDays().flatMap(day => MARKETS.map(market => ({ market, ...day })))

/**
 * sha256 of `calendarRows()` as JSON. A constant, because every publication needs the value. A test
 * verifies the constant.
 */
export const CALENDAR_SHA256 = '947cd88fa2cdb98221e5fbb33422f9884abd5fc1d265e5485340b6c7ed57b2af'

/**
 * True if no calendar is served, or only an outdated built-in one. False if the operator published
 * a calendar. Also false if the served release is unreadable.
 */
export async function calendarIsDue({ releases }: Pick<Workspace, 'releases'>): Promise<boolean> {
  const served = await createServedReleases({ releases })
    .of(CALENDAR)
    .catch(() => 'unreadable' as const)
  if (served === undefined) return true
  if (served === 'unreadable') return false
  return (
    served.manifest.sources.length > 0 &&
    served.manifest.sources.every(({ read_as, sha256 }) => read_as === READ_AS && sha256 !== CALENDAR_SHA256)
  )
}

/**
 * Publishes the calendar if needed. The rows count as real, not as synthetic.
 *
 * @returns true if a release was published
 * @throws Error if the rows fail the checks of the dataset
 */
export async function publishCalendar(workspace: Workspace): Promise<boolean> {
  if (!(await calendarIsDue(workspace))) return false
  const dataset = workspace.catalog.get(CALENDAR)!
  const rows = calendarRows()
  const columns = stagedColumns(dataset, rows)
  const relation = await createStaging(workspace.session, 'raw', columns)
  await stageRows(workspace.session, dataset, relation, columns, 0, rows)
  const { status, faults } = await publish(workspace, {
    dataset,
    relation,
    sources: [
      {
        name: `trading calendar of the project, ${FIRST_YEAR} to ${LAST_YEAR}`,
        sha256: CALENDAR_SHA256,
        bytes: 0,
        read_as: READ_AS,
        url: null,
      },
    ],
    synthetic: false,
    // Neither rows that contradict the calendar nor a slow clock must stop the publication.
    accept: ['contradicts_rows', 'future_date'],
    sourceBySource: false,
    calendar: await calendarOf(workspace),
  })
  if (status === 'refused') throw new Error(`The trading calendar was refused: ${faults.map(({ message }) => message).join(' ')}`)
  return true
}

/**
 * Publishes the calendar if needed, then updates the columns that count trading days. Does not
 * publish while another process publishes the calendar.
 */
export async function bringCalendar(workspace: Workspace): Promise<void> {
  await publishCalendar(workspace).catch(error => {
    if (!(error instanceof Refusal && error.code === 'conflict')) throw error
  })
  const served = await createServedReleases(workspace)
    .of(CALENDAR)
    .catch(() => undefined)
  if (!served) return
  const { release, changes } = served.manifest
  const nothing = { faults: [], notices: [], rowsBySource: new Map(), rowsConfirmed: 0, samplesReplaced: 0, moved: [] } as const
  const outcome = { status: 'published', release, changes, ...nothing } as const
  await followUps(workspace, [{ dataset: CALENDAR, outcome }])
}
