import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { type Dataset, storedColumns } from '../../catalog/index.ts'
import { nearest } from '../../src/core/index.ts'
import { type GivenColumns, whichColumns } from '../publish/index.ts'
import { fits, UNITS, unitNamed } from './units.ts'

const Unit = z.string().transform((text, context) => {
  const name = unitNamed(text)
  if (name !== undefined) return name
  context.addIssue({ code: 'custom', message: `unknown conversion ${text}; available are ${UNITS.join(', ')}` })
  return z.NEVER
})

/** Accepted values, keyed by column of the file. */
const Where = z.record(z.string(), z.array(z.string()).min(1))

const From = z.strictObject({
  from: z.string(),
  units: z.array(Unit).default([]),
  /** A second column of the file, which is subtracted from the first. */
  less: z.string().optional(),
  /** Rows to add up. Rows that agree in all other columns become one row. */
  where: Where.optional(),
  /**
   * Rows that already contain the sum. Total rows are compared with the sum of the partial rows, or
   * replace the sum if the partial rows are missing.
   */
  total: Where.optional(),
})

const Mapping = z.strictObject({
  dataset: z.string(),
  /** Origin of the files, in one sentence. */
  about: z.string(),
  url: z.url().optional(),
  /** Columns of the file, keyed by column of the dataset. */
  columns: z.record(
    z.string(),
    z.preprocess(given => (typeof given === 'string' ? { from: given } : given), From),
  ),
  /** Values of columns that the file lacks. */
  constants: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  ignore: z.array(z.string()).default([]),
  /** Rows to skip. In a file in long form, a row that is neither mapped nor skipped is refused. */
  leave_out: Where.default({}),
})

/** Maps the columns of a foreign file to those of a dataset. */
export type Mapping = z.infer<typeof Mapping>
export type MappedColumn = z.infer<typeof From>

const OWN = import.meta.dirname
/** Mapping file in the folder of the data files. */
export const BESIDE = 'mapping.json'

/** A mapping file that refers to a stored mapping by name, and may add columns. */
const Named = Mapping.omit({ dataset: true, about: true, url: true, leave_out: true }).extend({
  mapping: z.string().regex(/^[^/\\]+$/, 'must be the name of a stored mapping, not a path'),
  columns: Mapping.shape.columns.default({}),
})

const foldersOf = (dataDir: string): readonly string[] => [join(dataDir, 'mappings'), OWN]

const namesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter(name => name.endsWith('.json'))
        .map(name => basename(name, '.json'))
        .sort()
    : []

/**
 * Reads a stored mapping by name, or a mapping file by path. An operator's mapping has priority
 * over a built-in one.
 *
 * @throws Error that names the available mappings, or the fault of the file
 */
export function readMapping(name: string, dataset: Dataset, dataDir: string): Mapping {
  const folders = foldersOf(dataDir)
  const path = name.endsWith('.json') ? name : folders.map(folder => join(folder, `${name}.json`)).find(file => existsSync(file))
  if (path !== undefined && existsSync(path)) return mappingOf(path, jsonOf(path), dataset)
  const available = [...new Set(folders.flatMap(namesIn))]
  const guess = nearest(name, available)
  throw new Error(`There is no mapping named ${name}${guess ? `; did you mean ${guess}?` : '.'} Available: ${available.join(', ')}`)
}

/** Returns the stored mappings whose columns the file has. Skips invalid mappings. */
export function keptFor(dataset: Dataset, dataDir: string, given: GivenColumns): readonly string[] {
  return foldersOf(dataDir).flatMap(folder =>
    namesIn(folder).filter(name => {
      try {
        return foreignNames(readMapping(name, dataset, dataDir)).every(column => given.has(column))
      } catch {
        return false
      }
    }),
  )
}

export const foreignNames = ({ columns, leave_out }: Mapping): readonly string[] => {
  const named = Object.values(columns).flatMap(({ from, less, where = {}, total = {} }) => [
    from,
    ...(less === undefined ? [] : [less]),
    ...Object.keys({ ...where, ...total }),
  ])
  return [...new Set([...named, ...Object.keys(leave_out)])]
}

/**
 * Reads the `mapping.json` of a folder. Undefined if there is none. The file may refer to a stored
 * mapping and add to it.
 *
 * @throws Error that names the fault of the file
 */
export function mappingBeside(folder: string, dataset: Dataset, dataDir: string): Mapping | undefined {
  const path = join(folder, BESIDE)
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  // A pipe would block, and a link may lead out of the folder.
  if (!stats.isFile()) throw new Error(`The mapping ${BESIDE} is not a regular file. Put the file itself there.`)
  const json = jsonOf(path)
  if (!isRecord(json) || !Object.hasOwn(json, 'mapping')) return mappingOf(path, json, dataset)
  const { mapping, ...more } = inForm(Named, path, json)
  const stored = readMapping(mapping.replace(/\.json$/, ''), dataset, dataDir)
  return sound(
    {
      ...stored,
      columns: { ...stored.columns, ...more.columns },
      constants: { ...stored.constants, ...more.constants },
      ignore: [...stored.ignore, ...more.ignore],
    },
    dataset,
    `The mapping ${BESIDE}`,
  )
}

const isRecord = (json: unknown): json is Readonly<Record<string, unknown>> => typeof json === 'object' && json !== null

const mappingOf = (path: string, json: unknown, dataset: Dataset): Mapping =>
  sound(inForm(Mapping, path, json), dataset, `The mapping ${basename(path)}`)

function inForm<T extends z.ZodType>(form: T, path: string, json: unknown): z.infer<T> {
  const parsed = form.safeParse(json)
  if (parsed.success) return parsed.data
  const wrong = parsed.error.issues.map(({ path: at, message }) => `${at.join('.') || 'the file'}: ${message}`)
  throw new Error(`The mapping ${basename(path)} is invalid: ${wrong.join('; ')}`)
}

function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`The mapping ${basename(path)} cannot be read: ${(error as Error).message}`)
  }
}

export interface MappingWords {
  /**
   * Conversions such as `volume=volume:lots→shares`: column of the file, column of the dataset,
   * units. Separated by commas.
   */
  readonly map: readonly string[]
  /** Constant values, such as `market=TWSE`. */
  readonly set: readonly string[]
  readonly ignore: readonly string[]
}

/**
 * Adds command-line options to a stored mapping. Undefined if there is neither.
 *
 * @throws Error that names the wrong pair and the expected form
 */
export function mappingFrom({ map, set, ignore }: MappingWords, dataset: Dataset, stored?: Mapping): Mapping | undefined {
  const [pairs, values, left] = [map, set, ignore].map(list => list.flatMap(text => text.split(',')).map(text => text.trim()))
  if (pairs!.length + values!.length + left!.length === 0) return stored
  const columns = pairs!.map(pair => {
    const [, from, to, units] = /^(.+)=([^=:]+)(?::(.+))?$/.exec(pair) ?? []
    if (from === undefined) throw new Error(`--map ${pair}: expected FILE_COLUMN=DATASET_COLUMN, for example date=trade_date.`)
    const names = (units?.split('+') ?? []).map(unit => {
      const name = unitNamed(unit)
      if (name === undefined) throw new Error(`--map ${pair}: unknown conversion ${unit}. Available: ${UNITS.join(', ')}.`)
      return name
    })
    return [to!, { from, units: names }] as const
  })
  const twice = columns.map(([to]) => to).filter((to, index, all) => all.indexOf(to) < index)
  if (twice.length > 0) throw new Error(`--map maps two columns of the file to ${twice.join(', ')}. Use one.`)
  const constants = values!.map(pair => {
    const [, to, value] = /^([^=]+)=(.*)$/.exec(pair) ?? []
    if (to === undefined) throw new Error(`--set ${pair}: expected DATASET_COLUMN=VALUE, for example market=TWSE.`)
    return [to, value!] as const
  })
  const words = {
    dataset: dataset.slug,
    about: 'Given on the command line.',
    ...stored,
    columns: { ...stored?.columns, ...Object.fromEntries(columns) },
    constants: { ...stored?.constants, ...Object.fromEntries(constants) },
    ignore: [...(stored?.ignore ?? []), ...left!],
    leave_out: stored?.leave_out ?? {},
  }
  return sound(words, dataset, 'The mapping')
}

/** @throws Error if the mapping does not fit the dataset */
function sound(mapping: Mapping, dataset: Dataset, called: string): Mapping {
  if (mapping.dataset !== dataset.slug) throw new Error(`${called} is for ${mapping.dataset}, not for ${dataset.slug}.`)
  const columns = storedColumns(dataset)
  const wrong = [...Object.keys(mapping.columns), ...Object.keys(mapping.constants)].filter(name => !columns.includes(name))
  if (wrong.length > 0)
    throw new Error(`${called} names ${wrong.join(', ')}, which ${dataset.slug} does not have${whichColumns(wrong[0]!, columns).en}`)
  const both = Object.keys(mapping.columns).filter(name => Object.hasOwn(mapping.constants, name))
  if (both.length > 0) throw new Error(`${called} has both a column of the file and a constant value for ${both.join(', ')}. Remove one.`)
  for (const [name, { units, where, total }] of Object.entries(mapping.columns)) {
    if (total !== undefined && where === undefined)
      throw new Error(`${called} has "total" without "where" for ${name}. Add "where" for the rows that make up the total.`)
    const column = dataset.columns[name]!
    const misfit = units.find(unit => !fits(unit, column))
    if (misfit !== undefined)
      throw new Error(
        `${called} applies the conversion ${misfit} to ${name}, but that column is ${column.type}${column.unit ? ` in ${column.unit}` : ''}. Remove the conversion.`,
      )
  }
  return mapping
}
