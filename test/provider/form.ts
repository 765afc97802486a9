import { malformed } from './refusals.ts'

/** Parameters as they were sent: texts, and objects or lists of them; a list is an object whose names are 0, 1, 2 … */
export interface Form {
  readonly [name: string]: string | Form
}

interface Growing {
  [name: string]: string | Growing
}

const NAME = /^([^[\]]+)((?:\[[^[\]]*\])*)$/
const DEEPEST = 8

const empty = (): Growing => Object.create(null) as Growing

/**
 * Reads `a=1&b[c]=2&d[0]=3&e[]=4`, in a body or after a question mark.
 *
 * @throws Refused for a name that does not close its brackets, or one used both as a text and as an object, or twice as a text
 */
export function readForm(text: string): Form {
  const form = empty()
  for (const [name, value] of new URLSearchParams(text)) {
    const [, first, rest] = NAME.exec(name) ?? []
    if (first === undefined) throw malformed(`Invalid parameter name: ${name}`)
    const steps = [first, ...[...rest!.matchAll(/\[([^[\]]*)\]/g)].map(([, step]) => step!)]
    if (steps.length > DEEPEST) throw malformed(`Parameter nested too deeply: ${first}`)
    put(form, steps, value, name)
  }
  return form
}

function put(form: Growing, steps: readonly string[], value: string, name: string): void {
  let at = form
  for (const step of steps.slice(0, -1)) {
    at[step] ??= empty()
    const next = at[step]
    if (typeof next === 'string') throw malformed(`Parameter is both a value and an object: ${name}`)
    at = next
  }
  const last = steps.at(-1) === '' ? String(Object.keys(at).length) : steps.at(-1)!
  if (at[last] !== undefined) throw malformed(`Parameter was sent twice: ${name}`)
  at[last] = value
}
