export type Node = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const listOf = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Returns all objects at any depth. Avoids recursion, because trees can be deep. */
export function nodesIn(tree: Node): readonly Node[] {
  const nodes: Node[] = []
  const pending: unknown[] = [tree]
  while (pending.length > 0) {
    const value = pending.pop()
    if (Array.isArray(value)) for (const item of value) pending.push(item)
    else if (isObject(value)) {
      nodes.push(value)
      for (const item of Object.values(value)) pending.push(item)
    }
  }
  return nodes
}
