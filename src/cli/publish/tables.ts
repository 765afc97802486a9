import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { Dataset } from '../../../catalog/index.ts'
import { rebuildTable, type Workspace } from '../../../ingest/publish/index.ts'
import { Refusal } from '../../core/index.ts'
import { checkLog, type LogChange, type LogState } from '../../delta/index.ts'
import { failureReason } from '../../engine/index.ts'
import { releasePaths } from '../../releases/index.ts'
import { EXIT, print, printJson, say } from '../terminal.ts'
import { datasetNamed, withWorkspace } from '../workspace.ts'

export function tablesCommand(program: Command, setExitCode: (code: number) => void): void {
  const tables = program.command('tables').description('manage Delta tables for other engines')
  const on = (
    name: string,
    help: string,
    work: (workspace: Workspace, datasets: readonly Dataset[], json: boolean) => Promise<number>,
  ): void => {
    tables
      .command(name)
      .description(help)
      .argument('[dataset]', 'slug, such as bond-yield-curve; default all published datasets')
      .option('--json', 'print one JSON document')
      .action(async (slug: string | undefined, { json }: { json?: true }) =>
        setExitCode(await withWorkspace(workspace => work(workspace, datasetsOf(workspace, slug), json === true))),
      )
  }
  on('rebuild', 'update the table logs; rebuild missing or damaged ones', rebuild)
  on('check', 'compare the table logs with the releases', check)
}

const datasetsOf = (workspace: Workspace, slug: string | undefined): readonly Dataset[] =>
  slug === undefined
    ? [...workspace.catalog.values()].filter(({ slug }) => existsSync(releasePaths(workspace.releases, slug).home))
    : [datasetNamed(workspace, slug)]

interface Rebuilt extends Omit<LogChange, 'status'> {
  readonly dataset: string
  readonly status: LogChange['status'] | 'failed'
}

async function rebuild(workspace: Workspace, datasets: readonly Dataset[], json: boolean): Promise<number> {
  const changes: Rebuilt[] = []
  for (const dataset of datasets) changes.push({ dataset: dataset.slug, ...(await rebuildOne(workspace, dataset)) })
  if (json) printJson(changes)
  else for (const change of changes) (change.status === 'failed' ? say : print)(`${change.dataset}: ${SAID[change.status](change)}`)
  return changes.some(({ status }) => status === 'failed') ? EXIT.refused : EXIT.done
}

/** Never throws, so that a failure does not stop the rebuild of other tables. */
async function rebuildOne(workspace: Workspace, dataset: Dataset): Promise<Omit<Rebuilt, 'dataset'>> {
  if (!existsSync(releasePaths(workspace.releases, dataset.slug).home)) return { status: 'none', version: null, written: 0, because: null }
  try {
    return await rebuildTable(workspace, dataset)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const because = error instanceof Refusal ? error.message : failureReason(error)
    return { status: 'failed', version: null, written: 0, because }
  }
}

const SAID: Readonly<Record<Rebuilt['status'], (change: Rebuilt) => string>> = {
  whole: ({ version }) => `the log is complete, at version ${version}.`,
  continued: ({ version, written }) => `${counted(written)} added; the log is at version ${version}.`,
  rebuilt: ({ version, written, because }) => `${because}; ${counted(written)} written, the log is at version ${version}.`,
  none: () => 'no release yet; publish one with twmd publish or twmd ingest.',
  failed: ({ because }) => `the log could not be written: ${because}`,
}

async function check({ releases }: Workspace, datasets: readonly Dataset[], json: boolean): Promise<number> {
  const states: (LogState & { readonly dataset: string })[] = []
  for (const dataset of datasets) states.push({ dataset: dataset.slug, ...(await stateOf(releases, dataset)) })
  if (json) printJson(states)
  else for (const state of states) (state.fault === null ? print : say)(`${state.dataset}: ${sentenceOf(state)}`)
  return states.some(({ fault }) => fault !== null) ? EXIT.refused : EXIT.done
}

const stateOf = (releases: string, dataset: Dataset): Promise<LogState> =>
  checkLog(releases, dataset).catch((error: unknown) => {
    if (error instanceof Refusal) return { version: null, release: null, fault: error.message }
    throw error
  })

const sentenceOf = ({ dataset, version, release, fault }: LogState & { readonly dataset: string }): string => {
  if (fault !== null) return `the log is incomplete: ${fault}; run twmd tables rebuild ${dataset}.`
  return version === null ? 'no release yet.' : `the log is complete, at version ${version}, release ${release}.`
}

const counted = (commits: number): string => (commits === 1 ? '1 commit' : `${commits} commits`)
