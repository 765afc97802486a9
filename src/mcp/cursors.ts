import { Refusal } from '../core/index.ts'

/** Where the next items of a list begin, as `next_cursor` has it. */
export const placeCursor = (place: number): string => String(place)

/** @param cursor undefined for the beginning. @throws Refusal invalid_cursor for what `placeCursor` does not make */
export function readPlace(cursor: string | undefined): number {
  if (cursor === undefined) return 0
  if (!/^[1-9]\d{0,8}$/.test(cursor)) throw new Refusal('invalid_cursor')
  return Number(cursor)
}
