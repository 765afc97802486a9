import { bodyRefused, isObject } from '../../formats/index.ts'

/** Selections of the exchange's daily tables that hold every security; the second leaves warrants out. */
const EVERYTHING = 'ALL'
const WHOLE = [EVERYTHING, 'ALLBUT0999']

/**
 * A day's list is published as that whole day, so a list of one industry must not pass for it.
 *
 * @throws Refusal partial_list when the body says it was asked for a part of the market
 */
export function requireWholeList(value: unknown): void {
  const selection = selectionOf(value)
  if (typeof selection === 'string' && !WHOLE.includes(selection)) {
    throw bodyRefused('partial_list', `The body is the part "${selection}" of the market; fetch it again with ALLBUT0999.`, { selection })
  }
}

/** Whether the body says that warrants are in its list. */
export const holdsWarrants = (value: unknown): boolean => selectionOf(value) === EVERYTHING

function selectionOf(value: unknown): unknown {
  if (!isObject(value)) return undefined
  const params = isObject(value['params']) ? value['params'] : {}
  return value['selectType'] ?? params['selectType'] ?? params['type']
}
