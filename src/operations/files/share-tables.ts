import { type Catalog, creditsOfRows, type Dataset, meets, PLAN_IDS, type PlanId, served, UPGRADE_URL } from '../../../catalog/index.ts'
import type { Gate } from '../../access/index.ts'
import { type FaultType, type Grant, inputRefusal, momentOf, ofDataset, Refusal, type Words } from '../../core/index.ts'
import {
  boundedColumns,
  boundsOfHints,
  fileLine,
  type Hints,
  type SharedVersion,
  type SharingFormat,
  selectParts,
  type TableVersions,
  tableId,
  tableLines,
  tableName,
} from '../../delta/index.ts'
import type { Release, Releases } from '../../releases/index.ts'
import { type Call, type Meta, type MeterDeps, metered } from '../read/metering.ts'
import { type ReleaseFacts, releaseFacts } from '../read/release-facts.ts'

export interface ShareDeps extends MeterDeps {
  readonly gate: MeterDeps['gate'] & Pick<Gate, 'signFile'>
  readonly catalog: Catalog
  readonly releases: Releases
  readonly tableVersions: TableVersions
  /** True if this service was copied from another service with `twmd pull`. */
  readonly isReplica: () => boolean
  readonly origin: () => string
}

export const SHARED_SCHEMA = 'twmd' as const

/** Case-insensitive. */
export interface SharedName {
  readonly share: string
  readonly schema: string
  readonly table: string
}

/** If both are null, selects the current version. */
export interface VersionSelector {
  readonly version: number | null
  readonly timestamp: string | null
}

export interface TableQuery extends VersionSelector, Hints {
  /** Number of rows that the client needs. Null for all. */
  readonly limit: number | null
  readonly format: SharingFormat
  /** True to add a last line with the expiry time of the URLs. */
  readonly endLine: boolean
}

export interface LinesAnswer {
  readonly version: number
  readonly facts: ReleaseFacts
  readonly lines: string
}

export interface FilesAnswer extends LinesAnswer {
  readonly meta: Meta
}

/**
 * Operations of Delta Sharing. There is one share per plan, with the datasets that need at least
 * this plan. Callers can also use shares of lower plans.
 */
export function createShareTables(deps: ShareDeps) {
  const { catalog, releases, gate, tableVersions, isReplica, origin } = deps
  const datasets = served(catalog)
  const planOf = (caller: Grant, share: string): PlanId => {
    const plan = PLAN_IDS.find(id => id === share.toLowerCase())
    if (!plan) throw new Refusal('unknown_id', {}, UNKNOWN_SHARE)
    if (!meets(caller.plan, plan))
      throw new Refusal('plan_required', { required_plan: plan, current_plan: caller.plan, upgrade_url: UPGRADE_URL }, HIGHER_SHARE)
    return plan
  }
  const checkSchema = (schema: string): void => {
    if (schema.toLowerCase() !== SHARED_SCHEMA) throw new Refusal('unknown_id', {}, UNKNOWN_SCHEMA)
  }
  const tablesOf = (plan: PlanId): readonly Dataset[] =>
    datasets.filter(dataset => dataset.access!.plan === plan && releases.served(dataset))
  const find = (caller: Grant, { share, schema, table }: SharedName): Dataset => {
    const plan = planOf(caller, share)
    checkSchema(schema)
    const match = datasets.find(dataset => tableName(dataset) === table.toLowerCase() && dataset.access!.plan === plan)
    if (!match) throw new Refusal('unknown_id', {}, UNKNOWN_TABLE)
    return match
  }
  /**
   * Returns the served release and all versions of the table. If the log does not contain the
   * served release yet, adds the next version, except on a replica.
   */
  const versionsOf = async (dataset: Dataset) => {
    const release = releases.served(dataset)
    // Does not refuse with 503, because clients would then retry for minutes. Retries cannot
    // succeed before the first release.
    if (!release) throw new Refusal('unknown_id', ofDataset(dataset), NOT_PUBLISHED)
    const loggedVersions = await tableVersions.versionsOf(dataset)
    const isNumbered = loggedVersions.length === 0 || !isReplica()
    const servedIndex = loggedVersions.findLastIndex(version => version.release === release.id)
    const next = {
      version: (loggedVersions.at(-1)?.version ?? -1) + 1,
      release: release.id,
      servedAt: Date.parse(release.manifest.published_at),
    }
    // Omits versions that this process does not serve yet.
    const versions = servedIndex !== -1 ? loggedVersions.slice(0, servedIndex + 1) : isNumbered ? [...loggedVersions, next] : loggedVersions
    return { release, versions }
  }
  const choose = async (dataset: Dataset, { version, timestamp }: VersionSelector): Promise<SharedVersion> => {
    if (version !== null && timestamp !== null) throw fault('version', BOTH_SELECTORS, 'range')
    const { release, versions } = await versionsOf(dataset)
    const moment = timestamp === null ? null : parseTimestamp(timestamp, 'timestamp')
    const chosen =
      moment === null
        ? version === null
          ? versions.at(-1)
          : versions.find(candidate => candidate.version === version)
        : versions.findLast(({ servedAt }) => servedAt <= moment)
    const [first, last] = [versions[0]!, versions.at(-1)!]
    if (!chosen && moment !== null) throw new Refusal('unknown_id', ofDataset(dataset), noVersionYet(new Date(first.servedAt)))
    if (!chosen) throw new Refusal('unknown_id', ofDataset(dataset), unknownVersion(first.version, last.version))
    const pinned: Release = chosen.release === release.id ? release : await releases.pinned(dataset, chosen.release)
    return { release: pinned, version: chosen.version, servedAt: chosen.servedAt }
  }
  return {
    /** Lowest plan first. */
    shares: ({ plan }: Grant): readonly PlanId[] => PLAN_IDS.filter(id => meets(plan, id)),
    /** @throws Refusal unknown_id, plan_required */
    share: planOf,
    /**
     * Lists the tables with a release, sorted by slug.
     * @throws Refusal unknown_id, plan_required
     */
    tables(caller: Grant, share: string, schema: string = SHARED_SCHEMA) {
      const plan = planOf(caller, share)
      checkSchema(schema)
      return tablesOf(plan).map(dataset => tableView(plan, dataset))
    },
    /** @throws Refusal unknown_id, plan_required */
    async table(caller: Grant, name: SharedName) {
      const dataset = find(caller, name)
      const { version } = await choose(dataset, CURRENT)
      return { version, table: tableView(dataset.access!.plan, dataset) }
    },
    /**
     * Returns the current version, or the first version served at or after `from`.
     * @throws Refusal unknown_id, plan_required, invalid_parameter
     */
    async version(caller: Grant, name: SharedName, from: string | null): Promise<number> {
      const dataset = find(caller, name)
      const moment = from === null ? null : parseTimestamp(from, 'startingTimestamp')
      const { versions } = await versionsOf(dataset)
      const match = moment === null ? versions.at(-1) : versions.find(({ servedAt }) => servedAt >= moment)
      if (!match) throw new Refusal('unknown_id', ofDataset(dataset), NOTHING_SINCE)
      return match.version
    },
    /**
     * Returns protocol and metadata of a version.
     * @throws Refusal unknown_id, plan_required, invalid_parameter, release_retired, integrity
     */
    async metadata(caller: Grant, name: SharedName, asOf: VersionSelector, format: SharingFormat): Promise<LinesAnswer> {
      const shared = await choose(find(caller, name), asOf)
      return { version: shared.version, facts: factsOf(shared), lines: textOf(tableLines(format, shared)) }
    },
    /**
     * Lists the files that may contain rows for the client. URLs are valid for one hour. The price
     * depends on all rows in the files.
     * @throws Refusal unknown_id, plan_required, invalid_parameter, release_retired, integrity,
     * credits_exhausted, concurrency_limited, overloaded
     */
    query(caller: Grant, name: SharedName, query: TableQuery, call: Call): Promise<FilesAnswer> {
      const dataset = find(caller, name)
      return metered(deps, caller, dataset, call, async meter => {
        const shared = await choose(dataset, query)
        const { release, version } = shared
        const parts = selectParts(release, boundsOfHints(query, boundedColumns(release)), query.limit)
        const rows = parts.reduce((sum, part) => sum + part.rows, 0)
        call.time.lap('plan')
        await meter.begin({ credits: creditsOfRows(dataset, caller.plan, rows) })
        const files = parts.map(part => {
          const { path, expiresAt } = gate.signFile(caller, { slug: dataset.slug, sha256: part.sha256 })
          return { expiresAt, line: fileLine(query.format, shared, part, { url: `${origin()}${path}`, expiresAt }) }
        })
        const expiryTimes = files.map(({ expiresAt }) => expiresAt.getTime())
        const endEntry = { endStreamAction: expiryTimes.length > 0 ? { minUrlExpirationTimestamp: Math.min(...expiryTimes) } : {} }
        const entries = [...tableLines(query.format, shared), ...files.map(({ line }) => line), ...(query.endLine ? [endEntry] : [])]
        const lines = textOf(entries)
        const charge = await meter.settle({ rows, release: release.id })
        return { version, facts: factsOf(shared), lines, meta: { rows, charge, timings: call.time.laps } }
      })
    },
  }
}

export type ShareTables = ReturnType<typeof createShareTables>

const factsOf = ({ release }: SharedVersion): ReleaseFacts => releaseFacts(release.dataset, release)

const CURRENT: VersionSelector = { version: null, timestamp: null }

const tableView = (share: PlanId, dataset: Dataset) => ({ name: tableName(dataset), schema: SHARED_SCHEMA, share, id: tableId(dataset) })

const textOf = (lines: readonly object[]): string => lines.map(line => `${JSON.stringify(line)}\n`).join('')

/**
 * Converts a timestamp to ms since 1970. Older clients separate date and time with a space.
 * @throws Refusal invalid_parameter
 */
function parseTimestamp(text: string, name: string): number {
  const moment = momentOf(text.replace(/^(\S+) (\d\d:)/, '$1T$2'))
  if (!moment) throw fault(name, NOT_A_TIMESTAMP, 'timestamp')
  return moment.getTime()
}

const fault = (name: string, { en, zh }: Words, type: FaultType): Refusal =>
  inputRefusal([{ loc: [name], words: { en: `${name} ${en}`, zh: `${name} ${zh}` }, type }])

const UNKNOWN_SHARE: Words = {
  en: 'The share does not exist. /delta-sharing/shares lists the shares of your plan.',
  zh: '查無此 share。您的方案可使用的 share 列於 /delta-sharing/shares。',
}
const HIGHER_SHARE: Words = {
  en: 'The tables of this share require a higher plan. Compare the plans at upgrade_url.',
  zh: '此 share 的資料表需要較高的方案。各方案內容見 upgrade_url。',
}
const UNKNOWN_SCHEMA: Words = {
  en: `The schema does not exist. Use ${SHARED_SCHEMA}, the only schema of each share.`,
  zh: `查無此 schema。每個 share 只有一個：${SHARED_SCHEMA}。`,
}
const UNKNOWN_TABLE: Words = {
  en: 'The table is not in this share. List its tables with all-tables, or check another share.',
  zh: '此 share 沒有該資料表。請以 all-tables 列出所有資料表，或查看其他 share。',
}
const NOT_PUBLISHED: Words = {
  en: 'The dataset has no release yet, so there is no table. After the first release, all-tables lists the table.',
  zh: '此資料集尚未發布任何版本，因此沒有資料表。發布後會列於 all-tables。',
}
const NOTHING_SINCE: Words = {
  en: 'The table has no version since that time. Omit startingTimestamp for the current version.',
  zh: '該時間之後沒有新版本。省略 startingTimestamp 可取得目前版本。',
}
const BOTH_SELECTORS: Words = {
  en: 'and timestamp both select a version: send one of them',
  zh: '與 timestamp 都指定版本；請只傳送其中一個',
}
const NOT_A_TIMESTAMP: Words = {
  en: 'must be an RFC 3339 timestamp, for example 2026-07-01T10:00:00Z',
  zh: '必須是 RFC 3339 時間，例如 2026-07-01T10:00:00Z',
}
const noVersionYet = (first: Date): Words => ({
  en: `The table has no version at that time. Send a timestamp from ${first.toISOString()} on.`,
  zh: `該時間沒有任何版本。請指定 ${first.toISOString()} 以後的時間。`,
})
const unknownVersion = (first: number, last: number): Words => ({
  en: `The version does not exist. Use ${first} to ${last}; older versions are not available.`,
  zh: `查無此版本。可用的版本為 ${first} 至 ${last}；更早的版本無法取得。`,
})
