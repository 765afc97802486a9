import { InvalidArgumentError } from 'commander'

/**
 * Both bounds are permitted.
 * @returns a parser that throws InvalidArgumentError
 */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN
    if (!(value >= least && value <= most)) throw new InvalidArgumentError(`Must be a whole number from ${least} to ${most}.`)
    return value
  }
