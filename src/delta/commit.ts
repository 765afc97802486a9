import type { Dataset } from '../../catalog/index.ts'
import { type Manifest, sha256OfText } from '../releases/index.ts'
import { type Action, addFiles, type CommitInfo, PROTOCOL } from './actions.ts'
import { type Field, tableMetadata } from './schema.ts'
import type { ServedEvent } from './served-events.ts'

export interface Commit {
  readonly version: number
  readonly info: CommitInfo
  readonly actions: readonly Action[]
}

/** State of a table after a commit. */
export interface Version extends Pick<Commit, 'version' | 'info'> {
  /** Relative to the table's folder. */
  readonly files: ReadonlySet<string>
}

export type FieldsOf = (manifest: Manifest) => Promise<readonly Field[]>

const UNKNOWN = '0'.repeat(64)
const OWN_HASH = /"sha256":"([0-9a-f]{64})"/

/** @param before the state before the commit. Null for the first commit */
export async function makeCommit(
  dataset: Dataset,
  before: Version | null,
  { event, release, servedAt, again }: ServedEvent,
  manifest: Manifest,
  fieldsOf: FieldsOf,
): Promise<Commit> {
  const time = before ? Math.max(servedAt, before.info.inCommitTimestamp + 1) : servedAt
  const metaData = tableMetadata(dataset, manifest.synthetic, await fieldsOf(manifest))
  const info: CommitInfo = {
    inCommitTimestamp: time,
    timestamp: time,
    operation: again ? 'SERVE AGAIN' : 'PUBLISH',
    operationParameters: {
      release,
      event,
      ...(manifest.synthetic && { synthetic: 'true' }),
      metadata: sha256OfText(JSON.stringify(metaData)),
      sha256: UNKNOWN,
    },
    engineInfo: 'twmd',
    userMetadata: manifest.synthetic ? `${release} (sample data)` : release,
  }
  const files = addFiles(dataset, manifest, time)
  const paths = new Set(files.map(({ path }) => path))
  const formerPaths = before?.files ?? new Set()
  const dataChange = !isCompaction(manifest, before)
  const actions: readonly Action[] = [
    { commitInfo: info },
    ...(before ? [] : [{ protocol: PROTOCOL }]),
    ...(before?.info.operationParameters.metadata === info.operationParameters.metadata ? [] : [{ metaData }]),
    ...[...formerPaths].filter(path => !paths.has(path)).map(path => ({ remove: { path, deletionTimestamp: time, dataChange } })),
    ...files.filter(({ path }) => !formerPaths.has(path)).map(add => ({ add: { ...add, dataChange } })),
  ]
  return { version: before ? before.version + 1 : 0, info, actions }
}

/** True if only the files changed, but not the rows. */
const isCompaction = ({ parent, sources, changes }: Manifest, before: Version | null): boolean =>
  parent === before?.info.operationParameters.release &&
  sources.length === 0 &&
  changes.kind === 'new_rows' &&
  changes.rows_added + changes.rows_changed + changes.rows_removed === 0

/** Returns one line per action. The first line contains the sha256 of the text. */
export function commitText({ actions }: Commit): string {
  const text = actions.map(action => `${JSON.stringify(action)}\n`).join('')
  return text.replace(OWN_HASH, `"sha256":"${sha256OfText(text)}"`)
}

/** @throws Error if any byte was changed */
export function parseCommit(version: number, text: string): Commit {
  const own = OWN_HASH.exec(text)?.[1]
  if (own === undefined || sha256OfText(text.replace(OWN_HASH, `"sha256":"${UNKNOWN}"`)) !== own)
    throw new Error('the checksum of the commit is wrong')
  const actions = text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Action)
  const [first] = actions
  return { version, info: (first as Extract<Action, { commitInfo: unknown }>).commitInfo, actions }
}

export function apply(before: Version | null, { version, info, actions }: Commit): Version {
  const files = new Set(before?.files)
  for (const action of actions) {
    if ('remove' in action) files.delete(action.remove.path)
    if ('add' in action) files.add(action.add.path)
  }
  return { version, info, files }
}
